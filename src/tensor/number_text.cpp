#include "tensor/number_text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text/text.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {
namespace {

// A decimal number as 0.DIGITS * 10^exponent, digits without zeros at either end; zero has no digits. Two
// numbers of one sign compare by exponent, then by digits.
struct Decimal {
  std::string digits;
  std::int64_t exponent = 0;
};

// The magnitude of the JSON number `text`.
Decimal decimal_of(std::string_view text) {
  Decimal out;
  bool after_point = false;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    const char c = text[at];
    if (c == '.') {
      after_point = true;
    } else if (c != '-') {
      const bool leading_zero = c == '0' && out.digits.empty();
      if (!leading_zero) out.digits += c;
      if (!after_point && !leading_zero) ++out.exponent;
      if (after_point && leading_zero) --out.exponent;
    }
  }
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  if (at + 1 < text.size()) {
    // An exponent this large decides the comparison: no text in memory has enough digits to compensate it.
    constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max() / 2;
    const std::string_view exponent = text.substr(at + 1);
    const std::int64_t extreme = exponent[0] == '-' ? -kHuge : kHuge;
    out.exponent += std::clamp(parse_int64(exponent).value_or(extreme), -kHuge, kHuge);
  }
  return out;
}

// The sign of |text| - |value|, with `value` rounded to `digits` digits after the first.
int compare_magnitude(std::string_view text, double value, int digits) {
  constexpr int kMostDigits = 800;  // more than any double needs
  char exact[kMostDigits + 16];
  const auto end = std::to_chars(exact, exact + sizeof exact, value, std::chars_format::scientific,
                                 std::min(digits, kMostDigits))
                       .ptr;
  const Decimal a = decimal_of(text);
  const Decimal b = decimal_of({exact, end});
  if (a.digits.empty() || b.digits.empty()) return a.digits.compare(b.digits);
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  return a.digits.compare(b.digits);
}

// An exact comparison, for texts that round to `value`.
int compare_magnitude(std::string_view text, double value) {
  // Enough for every midpoint between 16-bit or small floats: m * 2^-e has at most e + 3 significant digits.
  constexpr int kExactDigits = 140;
  return compare_magnitude(text, value, kExactDigits);
}

// Whether an integer text that rounds to `value` equals it.
bool is_exact_integer(std::string_view text, double value) {
  if (text.starts_with('-')) text.remove_prefix(1);
  constexpr int kMostDigits = 310;
  char exact[kMostDigits];
  const auto [end, status] =
      std::to_chars(exact, exact + sizeof exact, std::abs(value), std::chars_format::fixed, 0);
  return std::trunc(value) == value && status == std::errc{} && text == std::string_view(exact, end);
}

// Whether |text| exceeds `largest`, also after rounding `largest` to the number of digits in the text.
bool is_beyond(std::string_view text, double largest) {
  return compare_magnitude(text, largest,
                           static_cast<int>(std::max<std::size_t>(decimal_of(text).digits.size(), 1)) - 1) >
         0;
}

template <Floating T>
NumberStatus parse_native_float(std::string_view text, T& value) {
  T parsed = 0;
  const auto status = std::from_chars(text.data(), text.data() + text.size(), parsed).ec;
  if (status == std::errc::result_out_of_range) {
    // from_chars() reports overflow and underflow alike; the exponents of the two are far apart.
    if (decimal_of(text).exponent > 0) return NumberStatus::range;
    parsed = text[0] == '-' ? T{-0.0} : T{0.0};
  }
  value = parsed;
  return NumberStatus::ok;
}

// Rounding the text first to double and then to fewer bits gives a wrong result only if the double is exactly
// a rounding boundary, such as the midpoint of two neighbours, and the text is not. In that case the double
// is rounded to odd, which preserves the side on which the text lies.
template <class T>
NumberStatus parse_short_float(std::string_view text, T& value) {
  double wide = 0;
  if (parse_native_float(text, wide) != NumberStatus::ok) return NumberStatus::range;
  const auto bits = std::bit_cast<std::uint64_t>(wide);
  if (wide != 0) {
    const auto rounded = [](std::uint64_t number) {
      constexpr int kNone = -1;
      T out;
      return convert_real(std::bit_cast<double>(number), out) ? int{out.bits} : kNone;
    };
    if (rounded(bits - 1) != rounded(bits + 1)) {
      const int side = compare_magnitude(text, wide);
      if (side != 0) wide = std::bit_cast<double>((side < 0 ? bits - 1 : bits) | 1);
    }
  }
  return convert_real(wide, value) ? NumberStatus::ok : NumberStatus::range;
}

}  // namespace

template <Number T>
NumberStatus parse_number(std::string_view text, T& value) {
  if constexpr (std::integral<T>) {
    if (text == "-0") text = "0";
    T parsed = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, parsed);
    // from_chars() stops at the minus sign for an unsigned type, at a point or an exponent for any integer
    // type.
    if (text.find_first_of(".eE") != std::string_view::npos) return NumberStatus::fraction;
    if (status != std::errc{} || stop != end) return NumberStatus::range;
    value = parsed;
    return NumberStatus::ok;
  } else if constexpr (SmallInteger<T>) {
    decltype(to_integer(value)) byte = 0;
    const NumberStatus status = parse_number(text, byte);
    if (status != NumberStatus::ok) return status;
    return convert_real(std::int64_t{byte}, value) ? NumberStatus::ok : NumberStatus::range;
  } else if constexpr (Floating<T>) {
    return parse_native_float(text, value);
  } else if constexpr (std::same_as<TextFloat<T>, float>) {
    float single = 0;
    if (parse_native_float(text, single) != NumberStatus::ok) return NumberStatus::range;
    return convert_real(single, value) ? NumberStatus::ok : NumberStatus::range;
  } else {
    return parse_short_float(text, value);
  }
}

template <Number T>
NumberStatus parse_fitting(std::string_view text, T& value) {
  const NumberStatus status = parse_number(text, value);
  if constexpr (std::integral<T> || SmallInteger<T>) {
    return status;
  } else {
    if (status != NumberStatus::ok) return status;
    const double wide = to_double(value);
    bool fits = true;
    if (is_integer_text(text)) {
      fits = is_exact_integer(text, wide);
    } else if constexpr (SmallFloat<T>) {
      fits = compare_magnitude(text, wide) == 0;
    } else if (wide == 0) {
      fits = decimal_of(text).digits.empty();
    } else if (std::abs(wide) == to_double(largest_finite<T>())) {
      fits = !is_beyond(text, wide);
    }
    return fits ? NumberStatus::ok : NumberStatus::inexact;
  }
}

std::optional<double> parse_not_finite(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

namespace {

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

template <class T>
char* write_finite(char* out, T value) {
  char* const end = std::to_chars(out, out + kNumberTextSize, value).ptr;
  for (const char* c = out; c != end; ++c) {
    if (*c == '.' || *c == 'e') return end;
  }
  return append(end, ".0");
}

// The decimal with the fewest digits that reads back as `value`; of several, the nearest. `value` is finite
// and not zero.
template <class T>
double shortest_decimal(T value) {
  const auto neighbour = [&](int step) {
    return to_double(T{static_cast<decltype(value.bits)>(value.bits + step)});
  };
  const double exact = to_double(value);
  const double beyond = exact + (exact - neighbour(-1));
  for (int digits = 0;; ++digits) {
    // The interval that rounds up to a power of two is twice as wide above it as below: a decimal near the
    // upper end may read back although the nearest one does not.
    for (const double near : {exact, beyond}) {
      if (near == neighbour(1)) continue;  // not a power of two
      char text[kNumberTextSize];
      char* const end =
          std::to_chars(text, text + sizeof text, near, std::chars_format::scientific, digits).ptr;
      // The conversion to double is safe: a decimal this short is a rounding boundary, or far from one.
      double decimal = 0;
      T read;
      std::from_chars(text, end, decimal);
      if (convert_real(decimal, read) && to_double(read) == exact) return decimal;
    }
  }
}

// Uses a table of the texts of all values, each made on first use: two words, up to 15 characters and
// their number.
template <class T>
char* write_short_float(char* out, T value) {
  static std::array<std::array<std::atomic<std::uint64_t>, 2>, std::size_t{1} << 8 * sizeof value> texts;
  auto& [front, back] = texts[value.bits];
  std::uint64_t words[2] = {0, back.load(std::memory_order_acquire)};
  if (words[1] != 0) {
    words[0] = front.load(std::memory_order_relaxed);
  } else {
    const float wide = to_float(value);
    const bool is_float32 = !std::isfinite(wide) || wide == 0 || std::same_as<TextFloat<T>, float>;
    char text[kNumberTextSize] = {};
    const char* const end =
        is_float32 ? write_number(text, wide) : write_finite(text, shortest_decimal(value));
    text[sizeof words - 1] = static_cast<char>(end - text);
    std::memcpy(words, text, sizeof words);
    front.store(words[0], std::memory_order_relaxed);
    back.store(words[1], std::memory_order_release);
  }
  std::memcpy(out, words, sizeof words);
  return out + (words[1] >> 56);
}

}  // namespace

template <Number T>
char* write_number(char* out, T value) {
  if constexpr (std::integral<T>) {
    return std::to_chars(out, out + kNumberTextSize, value).ptr;
  } else if constexpr (Floating<T>) {
    if (std::isfinite(value)) [[likely]]
      return write_finite(out, value);
    return append(out, std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
  } else if constexpr (SmallInteger<T>) {
    return write_number(out, to_integer(value));
  } else {
    return write_short_float(out, value);
  }
}

std::string range_text(DType dtype) {
  const auto between = [](auto low, auto high) {
    char text[2 * kNumberTextSize + 2];
    char* end = write_number(text, low);
    end = append(end, "..");
    return std::string(text, write_number(end, high));
  };
  return dispatch(dtype, [&]<class T>(TypeTag<T>) -> std::string {
    if constexpr (Half<T>) {
      const float largest = to_float(largest_half<T>());
      return between(-largest, largest);
    } else if constexpr (SmallNumber<T>) {
      return between(least_small<T>(), largest_small<T>());
    } else if constexpr (Real<Part<T>>) {
      return between(std::numeric_limits<Part<T>>::lowest(), std::numeric_limits<Part<T>>::max());
    } else {
      return {};
    }
  });
}

std::string overflow_hint(DType dtype, double value) {
  return dispatch(dtype, [&]<class T>(TypeTag<T>) -> std::string {
    if constexpr (Number<Part<T>>) {
      Part<T> out;
      if (!convert_real(value, out, Overflow::saturate)) return {};
      std::string hint = "--overflow saturate gives the nearest value that there is";
      const double other = convert_real(value, out, Overflow::nan) ? to_double(out) : 0;
      if (std::isfinite(other)) return hint;
      return cat(hint, ", --overflow nan ", std::isnan(other) ? "NaN" : "infinity");
    }
    return {};
  });
}

#define TENSOROP_INSTANTIATE(dtype, Type, ...)                  \
  template NumberStatus parse_number(std::string_view, Type&);  \
  template NumberStatus parse_fitting(std::string_view, Type&); \
  template char* write_number(char*, Type);
TENSOROP_NUMBERS(TENSOROP_INSTANTIATE)
TENSOROP_SMALL_NUMBERS(TENSOROP_INSTANTIATE)
#undef TENSOROP_INSTANTIATE

}  // namespace tensorop
