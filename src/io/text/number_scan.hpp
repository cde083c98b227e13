// Reads a number inside JSON text, inline: most numbers are converted by a few exact operations, the others
// by parse_number(). Both ways give the same value for any text.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/text/text.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/element.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {

namespace detail {

// Whether rounding `wide` to T gives the same as rounding once any number whose nearest double is `wide`.
// False if `wide` is the midpoint of two neighbours of T, and for subnormals of T.
template <AnyFloat T>
[[nodiscard]] bool rounds_once(double wide) {
  if constexpr (std::same_as<T, double>) {
    return true;
  } else {
    constexpr int kFraction = [] {
      if constexpr (Half<T>)
        return std::countr_zero(HalfTraits<T>::kQuiet) + 1;
      else
        return std::numeric_limits<T>::digits - 1;
    }();
    constexpr std::uint64_t kMore = (std::uint64_t{1} << (52 - kFraction)) - 1;
    const bool in_middle = (std::bit_cast<std::uint64_t>(wide) & kMore) == (kMore >> 1) + 1;
    if constexpr (std::same_as<T, Float16>) {
      constexpr double kSmallestNormal = 0x1p-14;
      if (wide != 0 && std::abs(wide) < kSmallestNormal) return false;
    }
    return !in_middle;
  }
}

}  // namespace detail

// Reads the JSON number at `at` and steps over it. False, with `at` unchanged, if there is no number, or none
// that fits T under `exactness`. The text before `end` must contain a character that is not part of a number.
template <std::integral T>
[[nodiscard]] bool scan_number(const char*& at, const char* end, T& value, Exactness /*exactness*/) {
  const char* const digits = *at == '-' ? at + 1 : at;
  if (*digits == '0' && is_digit(digits[1])) return false;
  const auto [stop, status] = std::from_chars(at, end, value);
  if (status != std::errc{} || *stop == '.' || *stop == 'e' || *stop == 'E') return false;
  at = stop;
  return true;
}

template <AnyFloat T>
[[nodiscard]] bool scan_number(const char*& at, const char* end, T& value, Exactness exactness) {
  static_cast<void>(end);
  // Limits of powers of ten and integers that doubles hold exactly.
  constexpr int kMostPower = 22;
  constexpr std::array<double, kMostPower + 1> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr std::uint64_t kMostInteger = std::uint64_t{1} << 53;
  constexpr std::ptrdiff_t kMostDigits = 19;  // fewer digits than 2^64 has

  const char* c = at;
  const bool negative = *c == '-';
  if (negative) ++c;
  std::uint64_t digits = 0;  // the digits as an integer; invalid if there are too many
  const auto take_digits = [&] {
    const char* const first = c;
    for (; is_digit(*c); ++c) digits = digits * 10 + static_cast<std::uint64_t>(*c - '0');
    return c - first;
  };
  const char* const first = c;
  std::ptrdiff_t count = take_digits();
  if (count == 0 || (*first == '0' && count > 1)) return false;
  std::ptrdiff_t power = 0;
  const bool is_integer = *c != '.' && *c != 'e' && *c != 'E';
  if (*c == '.') {
    ++c;
    const std::ptrdiff_t after_point = take_digits();
    if (after_point == 0) return false;
    count += after_point;
    power = -after_point;
  }
  if (*c == 'e' || *c == 'E') {
    ++c;
    const bool below_one = *c == '-';
    if (below_one || *c == '+') ++c;
    const char* const begin = c;
    std::ptrdiff_t exponent = 0;
    for (; is_digit(*c); ++c) {
      if (exponent < 10000) exponent = exponent * 10 + (*c - '0');
    }
    if (c == begin) return false;
    power += below_one ? -exponent : exponent;
  }
  // Both factors are exact, so that their product or quotient is rounded once.
  if (count <= kMostDigits && digits <= kMostInteger && power >= -kMostPower && power <= kMostPower) {
    const auto whole = static_cast<double>(digits);
    const double magnitude = power < 0 ? whole / kPowers[static_cast<std::size_t>(-power)]
                                       : whole * kPowers[static_cast<std::size_t>(power)];
    const double wide = negative ? -magnitude : magnitude;
    if (detail::rounds_once<T>(wide)) {
      value = round_to<T>(wide);
      if constexpr (Half<T>) {
        if ((value.bits & 0x7FFF) >= HalfTraits<T>::kInfinity) return false;
      }
      // Only a fraction may be rounded, and neither to zero nor to the largest value.
      const double kept = to_double(value);
      if (exactness == Exactness::any || kept == wide ||
          (!is_integer && kept != 0 && std::abs(kept) != to_double(largest_finite<T>()))) {
        at = c;
        return true;
      }
    }
  }
  const std::string_view text(at, static_cast<std::size_t>(c - at));
  if (parse_by(exactness, text, value) != NumberStatus::ok) return false;
  at = c;
  return true;
}

template <SmallNumber T>
[[nodiscard]] bool scan_number(const char*& at, const char* end, T& value, Exactness exactness) {
  const char* const first = at;
  std::conditional_t<SmallFloat<T>, TextFloat<T>, std::int8_t> wide{};
  if (!scan_number(at, end, wide, Exactness::any)) return false;
  const std::string_view text(first, static_cast<std::size_t>(at - first));
  // Whether a number that must fit is exact depends on its text.
  [[maybe_unused]] const bool may_round = exactness == Exactness::any;
  if constexpr (std::same_as<decltype(wide), double>) {
    // The number lies between the neighbours of the double: if both round to the same T, so does the number.
    const auto bits = std::bit_cast<std::uint64_t>(wide);
    T above;
    if (may_round && wide != 0 && convert_real(std::bit_cast<double>(bits - 1), value) &&
        convert_real(std::bit_cast<double>(bits + 1), above) && value.bits == above.bits) {
      return true;
    }
  } else if constexpr (std::same_as<decltype(wide), float>) {
    if (may_round && convert_real(wide, value)) return true;
  }
  if (parse_by(exactness, text, value) == NumberStatus::ok) return true;
  at = first;
  return false;
}

}  // namespace tensorop
