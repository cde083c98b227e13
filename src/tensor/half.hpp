// float16 and bfloat16: 16-bit storage types and their conversions, each with one rounding.
// Source: IEEE 754-2019 binary16; bfloat16 is the upper half of binary32. Rounding is to nearest, ties to
// even; subnormals are kept; overflow gives infinity; NaN stays NaN (quiet, upper payload bits kept).
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tensorop {

struct Float16 {
  std::uint16_t bits = 0;
};

struct BFloat16 {
  std::uint16_t bits = 0;
};

namespace detail {
// condition ? a : b, in a form that compilers do not turn into a branch, so that loops over conversions
// vectorize. Signed, like the comparisons here, because SSE2 only compares signed integers.
[[nodiscard]] constexpr std::int32_t choose(bool condition, std::int32_t a, std::int32_t b) {
  const std::int32_t mask = -static_cast<std::int32_t>(condition);
  return (a & mask) | (b & ~mask);
}

// a < b ? all bits : 0, for a and b below half of the range of Bits. SSE2 cannot compare 64-bit integers.
template <std::unsigned_integral Bits>
[[nodiscard]] constexpr Bits mask_less(Bits a, Bits b) {
  return Bits{0} - ((a - b) >> (std::numeric_limits<Bits>::digits - 1));
}

// A float without its sign, as an integer: ordered by magnitude, NaN above infinity.
template <std::floating_point Float>
using FloatBits = std::conditional_t<sizeof(Float) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
template <std::floating_point Float>
[[nodiscard]] constexpr FloatBits<Float> magnitude_bits(Float value) {
  using Bits = FloatBits<Float>;
  return std::bit_cast<Bits>(value) & (std::numeric_limits<Bits>::max() >> 1);
}

// Rounds the magnitude of `value` to nearest, ties to even, and returns the bits of the result: a float with
// kFraction fraction bits, the least normal number 2^kLeastExponent, and an unlimited exponent range.
template <int kFraction, int kLeastExponent, std::floating_point Float>
[[nodiscard]] constexpr FloatBits<Float> rounded_bits(Float value) {
  using Bits = FloatBits<Float>;
  constexpr int kWideFraction = std::numeric_limits<Float>::digits - 1;
  constexpr int kDropped = kWideFraction - kFraction;
  // The exponent field, in a Float, of the least normal result; in the result that field is 1.
  constexpr Bits kExponent = kLeastExponent + std::numeric_limits<Float>::max_exponent - 1;
  const Bits magnitude = magnitude_bits(value);
  // Normal result: adds just under half a unit of the last kept bit, and that bit itself; then drops bits.
  // Ties go to even.
  const Bits odd = (magnitude >> kDropped) & 1;
  const Bits normal =
      ((magnitude + (Bits{1} << (kDropped - 1)) - 1 + odd) >> kDropped) - ((kExponent - 1) << kFraction);
  if constexpr (kExponent == 1) return normal;  // subnormals have the same exponent
  // Subnormal or zero result: the sum's last bit has the weight of the result's last bit, so the addition
  // rounds.
  constexpr Bits kOffset = (kExponent + kDropped) << kWideFraction;
  const Float sum = std::bit_cast<Float>(magnitude) + std::bit_cast<Float>(kOffset);
  const Bits is_subnormal = mask_less(magnitude, kExponent << kWideFraction);
  return ((std::bit_cast<Bits>(sum) - kOffset) & is_subnormal) | (normal & ~is_subnormal);
}
}  // namespace detail

// Exact.
[[nodiscard]] inline float to_float(Float16 value) {
  // Moving the half's exponent and fraction to a float's positions scales the value by 2^-112; a
  // multiplication corrects that exactly, subnormals included. Infinities and NaN need the largest exponent.
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

// The differences between 16-bit types. To add a type: its struct, its to_float(), and these traits.
template <class T>
struct HalfTraits;

template <>
struct HalfTraits<Float16> {
  static constexpr std::uint16_t kInfinity = 0x7C00;  // greater than all finite values, less than every NaN
  static constexpr std::uint16_t kQuiet = 0x0200;     // the highest bit of the fraction makes a NaN quiet
  static constexpr float kOverflow = 0x1.FFEp15F;     // the least number that rounds to infinity
};

template <>
struct HalfTraits<BFloat16> {
  static constexpr std::uint16_t kInfinity = 0x7F80;
  static constexpr std::uint16_t kQuiet = 0x0040;
  static constexpr float kOverflow = 0x1.FFp127F;
};

template <class T>
concept Half = requires {
  HalfTraits<T>::kInfinity;
};

// Rounds once, from float or double. Inlined by order: a loop over elements is a vector loop only then, and
// whether the compiler inlines it by itself depends on what else is in the unit.
template <Half T, std::floating_point Float>
[[gnu::always_inline]] [[nodiscard]] inline T round_half(Float value) {
  using Traits = HalfTraits<T>;
  using Limits = std::numeric_limits<Float>;
  using Bits = detail::FloatBits<Float>;
  constexpr int kFraction = std::countr_zero(Traits::kQuiet) + 1;
  constexpr int kDropped = Limits::digits - 1 - kFraction;
  constexpr int kLeastExponent = 1 - (Traits::kInfinity >> kFraction) / 2;
  const Bits magnitude = detail::magnitude_bits(value);
  Bits half = detail::rounded_bits<kFraction, kLeastExponent>(value);
  if constexpr (kLeastExponent != Limits::min_exponent - 1) {
    const Bits is_finite = detail::mask_less(magnitude, detail::magnitude_bits(Float{Traits::kOverflow}));
    half = (half & is_finite) | (Traits::kInfinity & ~is_finite);
  }
  const Bits nan = Traits::kInfinity | Traits::kQuiet | ((magnitude >> kDropped) & (Traits::kQuiet - 1));
  const Bits is_nan = detail::mask_less(detail::magnitude_bits(Limits::infinity()), magnitude);
  half = (nan & is_nan) | (half & ~is_nan);
  const Bits sign = (std::bit_cast<Bits>(value) >> (8 * (sizeof(Bits) - sizeof(T)))) & 0x8000;
  return {static_cast<std::uint16_t>(sign | half)};
}

// The largest finite value.
template <Half T>
[[nodiscard]] constexpr T largest_half() {
  return {static_cast<std::uint16_t>(HalfTraits<T>::kInfinity - 1)};
}

}  // namespace tensorop
