// Converts element values between types: a value that the target cannot hold is refused, or rounded once.
// Text is not converted here (tensor/number_text.hpp).
// Source: docs/convert.md: float to integer truncates; out of range, NaN or a nonzero imaginary part is an
// error; a finite float never becomes infinite. To bool: everything but zero is true.
// Small floats: tensor/small_number.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "tensor/dtype.hpp"

namespace tensorop {

// Whether a cast to the same dtype changes elements: infinities become the largest value.
[[nodiscard]] constexpr bool saturates_itself(DType dtype, Overflow overflow) {
  return dtype == DType::float8_e5m2 && overflow == Overflow::saturate;
}

// Exact, except that 64-bit integers are rounded.
template <Number T>
[[nodiscard]] double to_double(T value) {
  if constexpr (Half<T> || SmallFloat<T>) {
    return to_float(value);
  } else if constexpr (SmallInteger<T>) {
    return to_integer(value);
  } else {
    return static_cast<double>(value);
  }
}

// The largest and the least finite value of T.
template <Number T>
[[nodiscard]] constexpr T largest_finite() {
  if constexpr (Half<T>) {
    return largest_half<T>();
  } else if constexpr (SmallFloat<T>) {
    return T{T::kLayout.largest};
  } else if constexpr (SmallInteger<T>) {
    return T{static_cast<std::uint8_t>(largest_small<T>())};
  } else {
    return std::numeric_limits<T>::max();
  }
}
template <Number T>
[[nodiscard]] constexpr T least_finite() {
  if constexpr (Half<T>) {
    return T{static_cast<std::uint16_t>(largest_half<T>().bits | 0x8000U)};
  } else if constexpr (SmallInteger<T>) {
    return T{static_cast<std::uint8_t>(least_small<T>() & 0x0F)};
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

// Bits of the significand, including the leading bit.
template <AnyFloat T>
[[nodiscard]] constexpr int float_digits() {
  if constexpr (Half<T>) {
    return std::countr_zero(HalfTraits<T>::kQuiet) + 2;
  } else {
    return std::numeric_limits<T>::digits;
  }
}

// Rounds once; values beyond the largest finite value become infinity.
template <AnyFloat T>
[[nodiscard]] T round_to(std::floating_point auto value) {
  if constexpr (Half<T>) {
    return round_half<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

namespace detail {
// Converts an integer to double by rounding to odd: the lost bits are joined into the last bit, so that
// rounding the double again to fewer bits equals rounding the integer once.
template <std::integral T>
[[nodiscard]] double to_double_odd(T value) {
  if constexpr (sizeof(T) < sizeof(double)) return static_cast<double>(value);
  constexpr int kSpareBits = 11;
  const bool negative = std::cmp_less(value, 0);
  const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  if (magnitude >> (64 - kSpareBits) == 0) return static_cast<double>(value);
  const std::uint64_t lost = magnitude & ((1U << kSpareBits) - 1);
  const std::uint64_t kept = magnitude >> kSpareBits | (lost != 0 ? 1U : 0U);
  return std::ldexp(negative ? -static_cast<double>(kept) : static_cast<double>(kept), kSpareBits);
}

// Functions without branches, for loops over many values: they return 0 if T holds the value.
template <class Wide>
using Misfit = std::conditional_t<sizeof(Wide) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

template <std::integral T, std::integral Wide>
[[nodiscard]] Misfit<Wide> misfit_integer(Wide value) {
  using Bits = Misfit<Wide>;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr int kWideDigits = std::numeric_limits<Wide>::digits;
  constexpr bool kHasAll = kDigits >= kWideDigits && (std::is_signed_v<T> || std::is_unsigned_v<Wide>);
  const auto bits = static_cast<Bits>(value);
  if constexpr (kHasAll) {
    return 0;
  } else if constexpr (std::is_signed_v<T> && std::is_signed_v<Wide>) {
    return (bits + (Bits{1} << kDigits)) >> (kDigits + 1);  // adding the range's lower bound maps it to 0
  } else {
    return bits >> std::min(kDigits, kWideDigits);
  }
}

// Nonzero if a finite value rounds to infinity.
template <AnyFloat T, std::floating_point Wide>
[[nodiscard]] Misfit<Wide> misfit_float(Wide value) {
  constexpr double kOverflow = [] {
    if constexpr (Half<T>) return double{HalfTraits<T>::kOverflow};
    return 0x1.FFFFFFp127;  // float
  }();
  if constexpr (!Half<T> && sizeof(T) >= sizeof(Wide)) return 0;
  const Misfit<Wide> magnitude = magnitude_bits(value);
  const Misfit<Wide> is_finite = mask_less(magnitude, magnitude_bits(std::numeric_limits<Wide>::infinity()));
  return is_finite & ~mask_less(magnitude, magnitude_bits(static_cast<Wide>(kOverflow)));
}

// Truncates; returns 0 if T holds the result, which a NaN never does.
template <std::integral T, std::floating_point Wide>
[[nodiscard]] Misfit<Wide> truncate(Wide value, T& out) {
  // The upper bound is a power of two and exact. The value below the lower bound may round to the bound.
  constexpr auto kHalf = std::numeric_limits<T>::max() / 2 + 1;
  constexpr Wide kUpper = 2 * static_cast<Wide>(kHalf);
  constexpr Wide kLower = static_cast<Wide>(std::numeric_limits<T>::min());
  constexpr Wide kBelow = kLower - 1;
  const bool is_above = kBelow == kLower ? value >= kLower : value > kBelow;
  const bool fits = is_above & (value < kUpper);
  out = static_cast<T>(fits ? value : Wide{0});
  return fits ? 0 : 1;
}

// Makes a NaN quiet, as every other float conversion does.
[[nodiscard]] inline float quiet(float value) {
  constexpr std::uint32_t kQuiet = 0x00400000;
  const std::uint32_t is_nan =
      mask_less(magnitude_bits(std::numeric_limits<float>::infinity()), magnitude_bits(value));
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | (is_nan & kQuiet));
}
}  // namespace detail

// Converts a real value (int32, int64, uint64, float or double, which together hold every real dtype) to a
// numeric type. Returns 0, or nonzero bits if T cannot hold the value: a loop joins the results of many
// values without a branch. `overflow` applies to small floats only: convert_real() has all of it.
template <Number T, class Wide>
[[nodiscard]] detail::Misfit<Wide> convert_joinable(Wide value, T& out, Overflow overflow = Overflow::error) {
  if constexpr (SmallFloat<T>) {
    if constexpr (Floating<Wide>) {
      return round_small(value, out, overflow) ? 0 : 1;
    } else {
      return round_small(detail::to_double_odd(value), out, overflow) ? 0 : 1;
    }
  } else if constexpr (SmallInteger<T>) {
    decltype(to_integer(T{})) byte = 0;
    const auto misfit = convert_joinable(value, byte);
    const bool fits = std::clamp(byte, least_small<T>(), largest_small<T>()) == byte;
    out.bits = static_cast<std::uint8_t>(byte & 0x0F);
    return misfit | (fits ? 0 : 1);
  } else if constexpr (AnyFloat<T> && Floating<Wide>) {
    if constexpr (std::same_as<T, float> && std::same_as<Wide, float>) {
      out = detail::quiet(value);
    } else {
      out = round_to<T>(value);
    }
    return detail::misfit_float<T>(value);
  } else if constexpr (Half<T>) {
    return convert_joinable(detail::to_double_odd(value), out) == 0 ? 0 : 1;
  } else if constexpr (Floating<T>) {
    out = static_cast<T>(value);
    return 0;
  } else if constexpr (Floating<Wide>) {
    return detail::truncate(value, out);
  } else {
    out = static_cast<T>(value);
    return detail::misfit_integer<T>(value);
  }
}

// convert_joinable() for one value. Returns false if T cannot hold it. With Overflow::saturate a value beyond
// the range of any T becomes the nearest one; a NaN never does.
template <Number T, class Wide>
[[nodiscard]] bool convert_real(Wide value, T& out, Overflow overflow = Overflow::error) {
  if (convert_joinable(value, out, overflow) == 0) return true;
  if constexpr (!SmallFloat<T>) {
    if (overflow != Overflow::saturate || value != value) return false;
    out = value < Wide{0} ? least_finite<T>() : largest_finite<T>();
    return true;
  }
  return false;
}

// Whether the cast exists: between any two dtypes except string, which casts only to string.
[[nodiscard]] bool can_cast(DType from, DType to);

// Casts `count` elements. Returns -1, or the position of the first element that `to` cannot hold; the
// elements of `out` from there on are then unspecified. `overflow`: as in convert_real().
[[nodiscard]] std::int64_t cast_elements(std::byte* out, DType to, const std::byte* in, DType from,
                                         std::int64_t count, Overflow overflow = Overflow::error);

}  // namespace tensorop
