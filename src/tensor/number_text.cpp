#include "tensor/number_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {
namespace {

// A decimal number as 0.DIGITS * 10^exponent, digits without zeros at either end; zero has no digits. With
// that, comparing two of one sign is comparing exponents and then digits.
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
    // So large an exponent decides alone: no text in memory has enough digits to compensate it.
    constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max() / 2;
    const std::string_view exponent = text.substr(at + 1);
    const std::int64_t extreme = exponent[0] == '-' ? -kHuge : kHuge;
    out.exponent += std::clamp(parse_int64(exponent).value_or(extreme), -kHuge, kHuge);
  }
  return out;
}

// The sign of |text| - |value|, with `value` rounded to as many digits after the first one.
int compare_magnitude(std::string_view text, double value, int digits) {
  constexpr int kMostDigits = 800;  // more than any double has
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

// Exactly. For texts that round to `value`.
int compare_magnitude(std::string_view text, double value) {
  // Enough for every digit of a midpoint of 16-bit floats and of small ones: m * 2^-e has no more than e + 3
  // significant ones.
  constexpr int kExactDigits = 140;
  return compare_magnitude(text, value, kExactDigits);
}

// Whether an integer, that rounds to `value`, is it.
bool is_exact_integer(std::string_view text, double value) {
  if (text.starts_with('-')) text.remove_prefix(1);
  constexpr int kMostDigits = 310;
  char exact[kMostDigits];
  const auto [end, status] =
      std::to_chars(exact, exact + sizeof exact, std::abs(value), std::chars_format::fixed, 0);
  return std::trunc(value) == value && status == std::errc{} && text == std::string_view(exact, end);
}

// Whether |text| is larger than the largest value of a dtype, also in as many digits as the text has.
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
    // from_chars() reports too large and too small alike; hundreds of powers of ten are between them.
    if (decimal_of(text).exponent > 0) return NumberStatus::range;
    parsed = text[0] == '-' ? T{-0.0} : T{0.0};
  }
  value = parsed;
  return NumberStatus::ok;
}

// Rounding the text to double and that to fewer bits differs from rounding the text once only where the
// double is on a bound, such as the midpoint of two neighbours, and the text is beside it. There the double
// is rounded to odd instead: it keeps the side that the text lies on.
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
    // An unsigned type stops at the minus sign, any integer type at a point or an exponent.
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
    } else if (std::abs(wide) == largest_finite<T>()) {
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

// digits * 10^exponent, digits not zero.
struct ShortDecimal {
  std::uint32_t digits;
  int exponent;
};

constexpr auto kPowersOfTen = [] {
  std::array<double, 43> powers{1};
  for (std::size_t n = 1; n < powers.size(); ++n) powers[n] = powers[n - 1] * 10;
  return powers;
}();

// The decimal with the fewest digits that reads back as `value`, the nearest one where there are several.
// `value` is finite and above zero; `below` is the one before it, and the one after it has that `distance`, a
// power of two. `even`: halfway between two of them is `value`.
//
// A unit is the power of ten of which the distance between neighbouring values is at least 10 and less than
// 100. Then at most one multiple of 100 units reads back, and some multiple of one unit does. Doubles are
// exact here as long as the powers of ten are, up to 10^22. Beyond that an error of some 2^-53 changes
// nothing: only at small exponents is a decimal of so few digits on a bound, or the value halfway between two
// of them.
ShortDecimal shortest_decimal(double value, double below, double distance, bool even) {
  const int binary_exponent = static_cast<int>(std::bit_cast<std::uint64_t>(distance) >> 52) - 1023;
  // 1233 / 4096 is log10(2), accurately enough for the exponents of all types.
  const int exponent = (binary_exponent * 1233 >> 12) - 1;
  // Powers of ten below 1 are not exact: the value is multiplied, or the unit is.
  const double scale = kPowersOfTen[static_cast<std::size_t>(std::max(0, -exponent))];
  const double unit = kPowersOfTen[static_cast<std::size_t>(std::max(0, exponent))];
  const double exact = value * scale;
  const double high = exact + distance * scale / 2;
  // At a power of two the neighbour below is only half as far away.
  const double low = (exact + below * scale) / 2;
  const auto reads_back = [&](double decimal) {
    return even ? low <= decimal && decimal <= high : low < decimal && decimal < high;
  };
  for (int zeros = 2;; --zeros) {
    const double step = kPowersOfTen[static_cast<std::size_t>(zeros)] * unit;
    if (exact < step) continue;
    // Rounded to an integer, ties to even.
    const double nearest = (exact / step + 0x1p52) - 0x1p52;
    // Where the interval is longer above the value, the decimal above may read back and the nearest one not.
    for (const double digits : {nearest, nearest + 1}) {
      if (reads_back(digits * step)) return {static_cast<std::uint32_t>(digits), exponent + zeros};
    }
  }
}

template <Half T>
ShortDecimal shortest_decimal(T value) {
  constexpr std::uint16_t kExponentBits = HalfTraits<T>::kInfinity;
  constexpr std::uint16_t kSmallestNormal = kExponentBits & -kExponentBits;
  const std::uint16_t power_of_two = std::max<std::uint16_t>(value.bits & kExponentBits, kSmallestNormal);
  const double distance = double{to_float(T{power_of_two})} / kSmallestNormal;
  const T below{static_cast<std::uint16_t>(value.bits - 1)};
  return shortest_decimal(to_float(value), to_float(below), distance, value.bits % 2 == 0);
}

// The largest value is as far from the next one, which the type does not have, as from the one below.
template <SmallFloat T>
ShortDecimal shortest_decimal(T value) {
  const float exact = to_float(value);
  const float below = to_float(T{static_cast<std::uint8_t>(value.bits - 1)});
  const float above = to_float(T{static_cast<std::uint8_t>(value.bits + 1)});
  const bool is_largest = value.bits == T::kLayout.largest;
  return shortest_decimal(exact, below, is_largest ? exact - below : above - exact, value.bits % 2 == 0);
}

// Writes the decimal as write_finite() writes a double: in fixed or scientific notation, whichever is
// shorter.
char* write_decimal(char* out, ShortDecimal decimal) {
  constexpr int kMostZeros = 16;  // in front of the digits or after them
  auto [digits, exponent] = decimal;
  for (; digits % 10 == 0; digits /= 10) ++exponent;
  char zeros[3 * kMostZeros];
  std::fill_n(zeros, sizeof zeros, '0');
  char* const text = zeros + kMostZeros;
  const auto size = static_cast<int>(std::to_chars(text, text + kMostZeros, digits).ptr - text);
  const int point = size + exponent;  // where it is in `text`
  const int inner_point = size > 1 ? 1 : 0;
  if (point < -2 - inner_point || size + 4 + inner_point < point) {
    *out++ = text[0];
    if (size > 1) out = std::copy(text + 1, text + size, append(out, "."));
    out = append(out, point < 1 ? "e-" : "e+");
    const int power = std::abs(point - 1);
    *out++ = static_cast<char>('0' + power / 10);
    *out++ = static_cast<char>('0' + power % 10);
    return out;
  }
  // Copies of a fixed size are faster than those of so few characters.
  const int first = std::min(0, point - 1);
  std::memcpy(out, text + first, kMostZeros);
  out += point - first;
  *out++ = '.';
  std::memcpy(out, text + point, kMostZeros);
  return out + std::max(size - point, 1);
}

// The text of a small float.
struct SmallText {
  char characters[16];
  int size;
};

template <SmallFloat T>
char* write_small(char* out, T value) {
  const float wide = to_float(value);
  if (!std::isfinite(wide) || std::same_as<TextFloat<T>, float>) return write_number(out, wide);
  if (std::signbit(wide)) *out++ = '-';
  const int magnitude_bits = (1 << (T::kLayout.bits - 1)) - 1;
  const T magnitude{static_cast<std::uint8_t>(value.bits & magnitude_bits)};
  return wide == 0 ? append(out, "0.0") : write_decimal(out, shortest_decimal(magnitude));
}

// Of all bytes; made when the first of them is written.
template <SmallFloat T>
const std::array<SmallText, 256>& small_texts() {
  static const std::array<SmallText, 256> texts = [] {
    std::array<SmallText, 256> out{};
    for (std::size_t bits = 0; bits < out.size(); ++bits) {
      char text[3 * kNumberTextSize];
      const char* const end = write_small(text, T{static_cast<std::uint8_t>(bits)});
      out[bits].size = static_cast<int>(end - text);
      std::copy(static_cast<const char*>(text), end, out[bits].characters);
    }
    return out;
  }();
  return texts;
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
  } else if constexpr (SmallFloat<T>) {
    const SmallText& text = small_texts<T>()[value.bits];
    // A copy of a fixed size is faster.
    std::memcpy(out, text.characters, sizeof text.characters);
    return out + text.size;
  } else {
    const float wide = to_float(value);
    if (!std::isfinite(wide)) return write_number(out, wide);
    *out = '-';
    out += value.bits >> 15;
    value.bits &= 0x7FFF;
    return value.bits == 0 ? append(out, "0.0") : write_decimal(out, shortest_decimal(value));
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
    if constexpr (SmallFloat<T>) {
      T out;
      if (!convert_real(value, out, Overflow::saturate)) return {};
      const std::string hint = "--overflow saturate gives the nearest value that there is";
      const float other = convert_real(value, out, Overflow::nan) ? to_float(out) : 0;
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
