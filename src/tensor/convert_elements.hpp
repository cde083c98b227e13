// Converting values of elements from one type to another: refusing what the target cannot hold, or with one
// rounding. Text is not converted here (tensor/number_text.hpp).
// Source: docs/convert.md: float to integer truncates; out of range, NaN or a nonzero
// imaginary part is an error; a finite float never becomes infinite. To bool: everything but zero is true.
// Small floats: tensor/small_number.hpp.
#pragma once

#include <algorithm>
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

// One rounding; beyond the largest finite value it gives infinity.
template <AnyFloat T>
[[nodiscard]] T round_to(double value) {
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
  constexpr int kSpareBits = 11;
  const bool negative = std::cmp_less(value, 0);
  const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  if (magnitude >> (64 - kSpareBits) == 0) return static_cast<double>(value);
  const std::uint64_t lost = magnitude & ((1U << kSpareBits) - 1);
  const std::uint64_t kept = magnitude >> kSpareBits | (lost != 0 ? 1U : 0U);
  return std::ldexp(negative ? -static_cast<double>(kept) : static_cast<double>(kept), kSpareBits);
}
}  // namespace detail

// Converts a real value (int64, uint64 or double, which hold those of all dtypes) to a type of numbers.
// Returns false when T cannot hold it; `overflow` is what a small float cannot hold.
template <Number T, class Wide>
[[nodiscard]] bool convert_real(Wide value, T& out, Overflow overflow = Overflow::error) {
  if constexpr (SmallFloat<T>) {
    if constexpr (Floating<Wide>) {
      return round_small(value, out, overflow);
    } else {
      return round_small(detail::to_double_odd(value), out, overflow);
    }
  } else if constexpr (SmallInteger<T>) {
    decltype(to_integer(T{})) byte = 0;
    if (!convert_real(value, byte) || std::clamp(byte, least_small<T>(), largest_small<T>()) != byte)
      return false;
    out.bits = static_cast<std::uint8_t>(byte & 0x0F);
    return true;
  } else if constexpr (AnyFloat<T> && Floating<Wide>) {
    out = round_to<T>(value);
    return !std::isfinite(value) || std::isfinite(to_double(out));
  } else if constexpr (Half<T>) {
    return convert_real(detail::to_double_odd(value), out);
  } else if constexpr (Floating<T>) {
    out = static_cast<T>(value);
    return true;
  } else if constexpr (Floating<Wide>) {
    const double whole = std::trunc(value);
    // The bounds as doubles: the upper one is a power of two and exact; the comparison is false for NaN.
    constexpr T kHalf = std::numeric_limits<T>::max() / 2 + 1;
    constexpr double kUpper = 2.0 * static_cast<double>(kHalf);
    constexpr double kLower = static_cast<double>(std::numeric_limits<T>::min());
    if (!(whole >= kLower && whole < kUpper)) return false;
    out = static_cast<T>(whole);
    return true;
  } else {
    if (!std::in_range<T>(value)) return false;
    out = static_cast<T>(value);
    return true;
  }
}

// Whether there is a cast at all: between any two dtypes but from and to string, which only stays string.
[[nodiscard]] bool can_cast(DType from, DType to);

// Casts `count` elements. Returns -1, or the position of the first element that `to` cannot hold; what
// follows it in `out` is then unspecified. `overflow`: of small floats.
[[nodiscard]] std::int64_t cast_elements(std::byte* out, DType to, const std::byte* in, DType from,
                                         std::int64_t count, Overflow overflow = Overflow::error);

}  // namespace tensorop
