// Converting values of elements from one type to another: refusing what the target cannot hold, or with one
// rounding. Text is not converted here (tensor/number_text.hpp).
// Source: docs/convert.md: float to integer truncates; out of range, NaN or a nonzero
// imaginary part is an error; a finite float never becomes infinite. To bool: everything but zero is true.
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

// Whether a cast to the own dtype changes elements: its infinities become the largest value.
[[nodiscard]] constexpr bool saturates_itself(DType dtype, Overflow overflow) {
  return dtype == DType::float8_e5m2 && overflow == Overflow::saturate;
}

// Exact, but for 64-bit integers, which are rounded.
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

// Bits of a significand, the leading one included.
template <AnyFloat T>
[[nodiscard]] constexpr int float_digits() {
  if constexpr (Half<T>) {
    return std::countr_zero(HalfTraits<T>::kQuiet) + 2;
  } else {
    return std::numeric_limits<T>::digits;
  }
}

// One rounding; beyond the largest finite value it gives infinity.
template <AnyFloat T>
[[nodiscard]] T round_to(std::floating_point auto value) {
  if constexpr (Half<T>) {
    return round_half<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

namespace detail {
// An integer as a double that rounds to 53 bits or fewer as the integer itself would: the bits that do not
// fit are gathered in the last one.
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

// Functions without branches, for loops over many values: 0 where T holds the value.
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
    return (bits + (Bits{1} << kDigits)) >> (kDigits + 1);  // moved by the least value, which becomes 0
  } else {
    return bits >> std::min(kDigits, kWideDigits);
  }
}

// A finite value that is rounded to infinity.
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

// Truncates; 0 where T does not hold the result, NaN included.
template <std::integral T, std::floating_point Wide>
[[nodiscard]] Misfit<Wide> truncate(Wide value, T& out) {
  // The upper bound is a power of two and exact. One below the lower one may be rounded to it.
  constexpr Wide kUpper = 2 * static_cast<Wide>(std::numeric_limits<T>::max() / 2 + 1);
  constexpr Wide kLower = static_cast<Wide>(std::numeric_limits<T>::min());
  constexpr Wide kBelow = kLower - 1;
  const bool is_above = kBelow == kLower ? value >= kLower : value > kBelow;
  const bool fits = is_above & (value < kUpper);
  out = static_cast<T>(fits ? value : Wide{0});
  return fits ? 0 : 1;
}

// A NaN made quiet, as every other conversion of floats makes it.
[[nodiscard]] inline float quiet(float value) {
  constexpr std::uint32_t kQuiet = 0x00400000;
  const std::uint32_t is_nan =
      mask_less(magnitude_bits(std::numeric_limits<float>::infinity()), magnitude_bits(value));
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | (is_nan & kQuiet));
}
}  // namespace detail

// Converts a real value (int32, int64, uint64, float or double, which hold those of all dtypes) to a type of
// numbers. Returns 0, or other bits when T cannot hold it: of many values they can be joined, so that a loop
// needs no branch. `overflow` is what a small float cannot hold.
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

// The same for one value. Returns false when T cannot hold it.
template <Number T, class Wide>
[[nodiscard]] bool convert_real(Wide value, T& out, Overflow overflow = Overflow::error) {
  return convert_joinable(value, out, overflow) == 0;
}

// Whether there is a cast at all: between any two dtypes but from and to string, which only stays string.
[[nodiscard]] bool can_cast(DType from, DType to);

// Casts `count` elements. Returns -1, or the position of the first element that `to` cannot hold; what
// follows it in `out` is then unspecified. `overflow`: of small floats.
[[nodiscard]] std::int64_t cast_elements(std::byte* out, DType to, const std::byte* in, DType from,
                                         std::int64_t count, Overflow overflow = Overflow::error);

}  // namespace tensorop
