// float16 and bfloat16: 16-bit storage types and their conversions, each with one rounding.
// Source: IEEE 754-2019 binary16; bfloat16 is the upper half of binary32. Rounding is to nearest, ties to
// even; subnormals are kept; overflow gives infinity; NaN stays NaN (quiet, upper payload bits kept).
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace tensorop {

struct Float16 {
  std::uint16_t bits = 0;
};

struct BFloat16 {
  std::uint16_t bits = 0;
};

namespace detail {
// condition ? a : b, in a form that compilers do not turn back into a branch: loops over the conversions are
// then done several elements at a time. Signed, as the comparisons here are: SSE2 has no other.
[[nodiscard]] constexpr std::int32_t choose(bool condition, std::int32_t a, std::int32_t b) {
  const std::int32_t mask = -static_cast<std::int32_t>(condition);
  return (a & mask) | (b & ~mask);
}
}  // namespace detail

// Exact.
[[nodiscard]] inline float to_float(Float16 value) {
  // The half's exponent and fraction moved to their positions in a float are off by a factor of 2^112, which
  // a multiplication corrects exactly, subnormals included; infinities and NaN need the largest exponent.
  const auto magnitude = static_cast<std::int32_t>(value.bits & 0x7FFF) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000) << 16;
  const auto scaled = std::bit_cast<std::int32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const std::int32_t special = detail::choose(magnitude >= 0x0F800000, 0x7F800000, 0);
  return std::bit_cast<float>(static_cast<std::uint32_t>(scaled | special) | sign);
}

// Exact.
[[nodiscard]] inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

// One rounding.
[[nodiscard]] inline Float16 to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto magnitude = static_cast<std::int32_t>(bits & 0x7FFFFFFFU);
  const auto sign = static_cast<std::int32_t>((bits >> 16) & 0x8000U);
  // Normal: drop 13 bits; adding 0xFFF and the last kept bit rounds ties to even.
  const std::int32_t normal = (magnitude - 0x38000000 + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
  // Subnormal or zero: adding 1/2 leaves the rounded multiple of 2^-24 in the low bits of the sum.
  const std::int32_t subnormal =
      std::bit_cast<std::int32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000;
  // 65520 and above round to infinity.
  const std::int32_t special =
      detail::choose(magnitude > 0x7F800000, 0x7E00 | ((magnitude >> 13) & 0x1FF), 0x7C00);
  const std::int32_t finite = detail::choose(magnitude >= 0x38800000, normal, subnormal);
  const std::int32_t half = detail::choose(magnitude >= 0x477FF000, special, finite);
  return {static_cast<std::uint16_t>(sign | half)};
}

// One rounding.
[[nodiscard]] inline BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)};
}

// A float on the way to a 16-bit type: rounded to odd, so that the second rounding gives what a single one
// from the double would have given (a float has more than two bits beyond either type).
[[nodiscard]] inline float to_float_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || value != value) return nearest;
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  // Step towards zero where rounding went away from it, then make the last bit odd.
  const bool away = (value < 0 ? back < value : back > value);
  return std::bit_cast<float>((away ? bits - 1 : bits) | 1U);
}

// One rounding.
[[nodiscard]] inline Float16 to_float16(double value) {
  return to_float16(to_float_odd(value));
}
[[nodiscard]] inline BFloat16 to_bfloat16(double value) {
  return to_bfloat16(to_float_odd(value));
}

// What the 16-bit types differ in. To add one: its struct, its to_float(), its rounding from float and
// double, and these traits.
template <class T>
struct HalfTraits;

template <>
struct HalfTraits<Float16> {
  static constexpr std::uint16_t kInfinity = 0x7C00;  // greater than all finite values, less than every NaN
  static constexpr std::uint16_t kQuiet = 0x0200;     // the bit that makes a NaN quiet
  static Float16 round(std::floating_point auto value) { return to_float16(value); }
};

template <>
struct HalfTraits<BFloat16> {
  static constexpr std::uint16_t kInfinity = 0x7F80;
  static constexpr std::uint16_t kQuiet = 0x0040;
  static BFloat16 round(std::floating_point auto value) { return to_bfloat16(value); }
};

template <class T>
concept Half = requires {
  HalfTraits<T>::kInfinity;
};

// One rounding, from float or double.
template <Half T>
[[nodiscard]] T round_half(std::floating_point auto value) {
  return HalfTraits<T>::round(value);
}

// The largest finite value.
template <Half T>
[[nodiscard]] constexpr T largest_half() {
  return {static_cast<std::uint16_t>(HalfTraits<T>::kInfinity - 1)};
}

}  // namespace tensorop
