#include "io/number_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"

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
  if (at < text.size()) {
    // So large an exponent decides alone: no text in memory has enough digits to compensate it.
    constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max() / 2;
    const std::string_view exponent = text.substr(at + 1);
    const std::int64_t extreme = exponent[0] == '-' ? -kHuge : kHuge;
    out.exponent += std::clamp(parse_int64(exponent).value_or(extreme), -kHuge, kHuge);
  }
  return out;
}

// The sign of |text| - |value|, exactly. For texts that round to `value`.
int compare_magnitude(std::string_view text, double value) {
  // Enough for every digit of a midpoint of 16-bit floats: m * 2^-e has no more than e + 3 significant ones.
  constexpr int kExactDigits = 140;
  char exact[kExactDigits + 16];
  const auto end =
      std::to_chars(exact, exact + sizeof exact, value, std::chars_format::scientific, kExactDigits).ptr;
  const Decimal a = decimal_of(text);
  const Decimal b = decimal_of({exact, end});
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  return a.digits.compare(b.digits);
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

// Rounding the text to double and that to 16 bits differs from rounding the text once only where the double
// is a midpoint between two 16-bit neighbours and the text is not: then the side the text lies on decides.
template <Half T>
NumberStatus parse_short_float(std::string_view text, T& value) {
  double wide = 0;
  if (parse_native_float(text, wide) != NumberStatus::ok) return NumberStatus::range;
  T rounded = round_half<T>(wide);
  const auto bits = std::bit_cast<std::uint64_t>(wide);
  if (wide != 0 && std::isfinite(wide)) {
    const T below = round_half<T>(std::bit_cast<double>(bits - 1));
    const T above = round_half<T>(std::bit_cast<double>(bits + 1));
    if (below.bits != above.bits) {
      const int side = compare_magnitude(text, wide);
      if (side != 0) rounded = side < 0 ? below : above;
    }
  }
  if (!std::isfinite(to_float(rounded))) return NumberStatus::range;
  value = rounded;
  return NumberStatus::ok;
}

}  // namespace

template <Real T>
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
  } else if constexpr (Floating<T>) {
    return parse_native_float(text, value);
  } else {
    return parse_short_float(text, value);
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

// `value` to so many significant digits, as the double nearest to that decimal.
double rounded(double value, int digits) {
  char text[kNumberTextSize];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1).ptr;
  double out = 0;
  std::from_chars(text, end, out);
  return out;
}

// The decimals that read back as one 16-bit value: those between the midpoints to its neighbours.
template <Half T>
class Interval {
 public:
  // `value` is finite and above zero.
  explicit Interval(T value)
      : value_(value),
        exact_(to_float(value)),
        low_((exact_ + to_float(T{static_cast<std::uint16_t>(value.bits - 1)})) / 2) {
    const double next = to_float(T{static_cast<std::uint16_t>(value.bits + 1)});
    // The largest value reads back from as far above it as below: from there on is infinity.
    high_ = std::isfinite(next) ? (exact_ + next) / 2 : exact_ + (exact_ - low_);
  }

  // A decimal of so many digits that reads back, the nearest one where there are several; nothing when
  // there is none.
  [[nodiscard]] std::optional<double> decimal(int digits) const {
    const double nearest = rounded(exact_, digits);
    if (contains(nearest)) return nearest;
    // At a power of two the upper half is the wider one: the nearest decimal may lie just too low while the
    // one above still reads back.
    const bool lopsided = high_ - exact_ > exact_ - low_;
    if (!lopsided) return std::nullopt;
    const double above = rounded(high_, digits);
    return contains(above) ? std::optional(above) : std::nullopt;
  }

  [[nodiscard]] double rounded_exact(int digits) const { return rounded(exact_, digits); }

 private:
  [[nodiscard]] bool contains(double decimal) const {
    if (decimal != low_ && decimal != high_) return low_ < decimal && decimal < high_;
    // On a midpoint, or so near that its double is: reading it decides.
    char text[kNumberTextSize];
    const auto end = std::to_chars(text, text + sizeof text, decimal).ptr;
    T back;
    return parse_short_float({text, end}, back) == NumberStatus::ok && back.bits == value_.bits;
  }

  T value_;
  double exact_;
  double low_;
  double high_;
};

// The decimal with the fewest digits that reads back as `value`, as the double nearest to it: with so few
// digits the shortest text of that double is that decimal. `value` is finite and above zero.
template <Half T>
double shortest_decimal(T value) {
  // Five significant digits tell all values of both types apart.
  constexpr int kMostDigits = 5;
  const Interval<T> interval(value);
  double shortest = interval.rounded_exact(kMostDigits);
  for (int digits = kMostDigits - 1; digits > 0; --digits) {
    const auto shorter = interval.decimal(digits);
    if (!shorter) break;
    shortest = *shorter;
  }
  return shortest;
}

}  // namespace

template <Real T>
char* write_number(char* out, T value) {
  if constexpr (std::integral<T>) {
    return std::to_chars(out, out + kNumberTextSize, value).ptr;
  } else if constexpr (Floating<T>) {
    if (std::isfinite(value)) [[likely]]
      return write_finite(out, value);
    return append(out, std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
  } else {
    const float wide = to_float(value);
    if (!std::isfinite(wide)) return write_number(out, wide);
    if (std::signbit(wide)) *out++ = '-';
    value.bits &= 0x7FFF;
    return write_finite(out, value.bits == 0 ? 0.0 : shortest_decimal(value));
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
    } else if constexpr (Real<Part<T>>) {
      return between(std::numeric_limits<Part<T>>::lowest(), std::numeric_limits<Part<T>>::max());
    } else {
      return {};
    }
  });
}

template NumberStatus parse_number(std::string_view, std::int8_t&);
template NumberStatus parse_number(std::string_view, std::int16_t&);
template NumberStatus parse_number(std::string_view, std::int32_t&);
template NumberStatus parse_number(std::string_view, std::int64_t&);
template NumberStatus parse_number(std::string_view, std::uint8_t&);
template NumberStatus parse_number(std::string_view, std::uint16_t&);
template NumberStatus parse_number(std::string_view, std::uint32_t&);
template NumberStatus parse_number(std::string_view, std::uint64_t&);
template NumberStatus parse_number(std::string_view, Float16&);
template NumberStatus parse_number(std::string_view, BFloat16&);
template NumberStatus parse_number(std::string_view, float&);
template NumberStatus parse_number(std::string_view, double&);

template char* write_number(char*, std::int8_t);
template char* write_number(char*, std::int16_t);
template char* write_number(char*, std::int32_t);
template char* write_number(char*, std::int64_t);
template char* write_number(char*, std::uint8_t);
template char* write_number(char*, std::uint16_t);
template char* write_number(char*, std::uint32_t);
template char* write_number(char*, std::uint64_t);
template char* write_number(char*, Float16);
template char* write_number(char*, BFloat16);
template char* write_number(char*, float);
template char* write_number(char*, double);

}  // namespace tensorop
