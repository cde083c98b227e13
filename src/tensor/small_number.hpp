// Numbers of 8 or 4 bits: five kinds of float8, float4, int4 and uint4. Each takes a byte in memory. They are
// only data: moved, converted and compared, without arithmetic.
// Source: docs/formats.md, "Small dtypes". Names, bits and values are those of ONNX and ml_dtypes.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tensor/half.hpp"

namespace tensorop {

// The bit layout of a small float: sign, exponent, fraction from the highest bit on. Exponent 0 encodes zero
// and subnormals, as in IEEE 754, except in a kind without zero.
struct SmallFloatLayout {
  int bits;      // bits of an element; higher bits are ignored
  int fraction;  // fraction bits
  int bias;
  std::uint8_t largest;        // bits of the largest value
  std::uint8_t infinity;       // bits of infinity; 0: no infinity
  std::uint8_t nan;            // bits of a NaN; 0: no NaN
  bool has_sign = true;        // numbers may be negative
  bool has_minus_zero = true;  // zero and NaN have a sign bit
  bool has_zero = true;
};

template <SmallFloatLayout kBits>
struct SmallFloatElement {
  static constexpr SmallFloatLayout kLayout = kBits;
  std::uint8_t bits = 0;
};

using Float8E4M3FN = SmallFloatElement<SmallFloatLayout{8, 3, 7, 0x7E, 0, 0x7F}>;
using Float8E4M3FNUZ = SmallFloatElement<SmallFloatLayout{8, 3, 8, 0x7F, 0, 0x80, true, false}>;
using Float8E5M2 = SmallFloatElement<SmallFloatLayout{8, 2, 15, 0x7B, 0x7C, 0x7E}>;
using Float8E5M2FNUZ = SmallFloatElement<SmallFloatLayout{8, 2, 16, 0x7F, 0, 0x80, true, false}>;
// Powers of two, used as block scales.
using Float8E8M0FNU = SmallFloatElement<SmallFloatLayout{8, 0, 127, 0xFE, 0, 0xFF, false, false, false}>;
using Float4E2M1FN = SmallFloatElement<SmallFloatLayout{4, 1, 1, 7, 0, 0}>;

// An integer in the lower half of a byte; the upper half is ignored. Signed: two's complement.
template <bool kSigned>
struct Nibble {
  std::uint8_t bits = 0;
};
using Int4 = Nibble<true>;
using UInt4 = Nibble<false>;

template <class T>
concept SmallFloat = requires {
  T::kLayout;
};
namespace detail {
template <class T>
inline constexpr bool kIsNibble = false;
template <bool kSigned>
inline constexpr bool kIsNibble<Nibble<kSigned>> = true;
}  // namespace detail
template <class T>
concept SmallInteger = detail::kIsNibble<T>;
template <class T>
concept SmallNumber = SmallFloat<T> || SmallInteger<T>;

// The significant bits of an element.
template <SmallNumber T>
[[nodiscard]] constexpr std::uint8_t meaning_bits(T value) {
  if constexpr (SmallInteger<T>) {
    return value.bits & 0x0F;
  } else {
    return static_cast<std::uint8_t>(value.bits & ((1 << T::kLayout.bits) - 1));
  }
}

[[nodiscard]] constexpr std::int8_t to_integer(Int4 value) {
  return static_cast<std::int8_t>((meaning_bits(value) ^ 8) - 8);
}
[[nodiscard]] constexpr std::uint8_t to_integer(UInt4 value) {
  return meaning_bits(value);
}

namespace detail {

// 2^exponent, for exponents of normal doubles.
[[nodiscard]] constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Exact value of the bits.
[[nodiscard]] constexpr float value_of(const SmallFloatLayout& layout, std::uint8_t bits) {
  const int sign = layout.has_sign ? 1 << (layout.bits - 1) : 0;
  const bool negative = (bits & sign) != 0;
  const int magnitude = bits & ((1 << layout.bits) - 1) & ~sign;
  const bool no_number = magnitude > layout.largest || (negative && magnitude == 0 && !layout.has_minus_zero);
  double value = std::numeric_limits<double>::quiet_NaN();
  if (no_number) {
    if (layout.infinity != 0 && magnitude == layout.infinity) value = std::numeric_limits<double>::infinity();
  } else {
    const int exponent = magnitude >> layout.fraction;
    const int fraction = magnitude & ((1 << layout.fraction) - 1);
    const bool is_normal = exponent != 0 || !layout.has_zero;
    const int units = is_normal ? (1 << layout.fraction) + fraction : fraction;
    value = units * power_of_two((is_normal ? exponent : 1) - layout.bias - layout.fraction);
  }
  return static_cast<float>(negative ? -value : value);
}

// The values of all 256 bytes.
template <SmallFloatLayout kLayout>
inline constexpr std::array<float, 256> kValues = [] {
  std::array<float, 256> values{};
  for (std::size_t bits = 0; bits < values.size(); ++bits)
    values[bits] = value_of(kLayout, static_cast<std::uint8_t>(bits));
  return values;
}();

// The magnitude bits of the value nearest to `value`, ties to even. The kind without zero, which holds
// powers of two, rounds up instead. Exceeds `largest` if the kind has no such value. `value` is
// finite and positive, or zero if the kind has zero.
template <SmallFloatLayout kLayout>
[[nodiscard]] constexpr int rounded_magnitude(double value) {
  if constexpr (kLayout.has_zero) {
    return static_cast<int>(rounded_bits<kLayout.fraction, 1 - kLayout.bias>(value));
  } else {
    constexpr int kFraction = 52;  // of a double
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> kFraction) - 1023;
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFraction) - 1);
    return exponent < -kLayout.bias ? 0 : exponent + kLayout.bias + (fraction != 0 ? 1 : 0);
  }
}

}  // namespace detail

// Exact conversion.
template <SmallFloat T>
[[nodiscard]] constexpr float to_float(T value) {
  return detail::kValues<T::kLayout>[value.bits];
}

// The largest and the least value, as a float or an integer.
template <SmallNumber T>
[[nodiscard]] constexpr auto largest_small() {
  if constexpr (SmallFloat<T>) {
    return to_float(T{T::kLayout.largest});
  } else {
    return to_integer(T{std::same_as<T, Int4> ? std::uint8_t{7} : std::uint8_t{15}});
  }
}
template <SmallNumber T>
[[nodiscard]] constexpr auto least_small() {
  if constexpr (SmallFloat<T>) {
    return T::kLayout.has_sign ? -largest_small<T>() : to_float(T{0});
  } else {
    return to_integer(T{std::same_as<T, Int4> ? std::uint8_t{8} : std::uint8_t{0}});
  }
}

// How to convert a value that a small float cannot represent (docs/convert.md, --overflow).
enum class Overflow : std::uint8_t {
  error,
  saturate,  // beyond the largest value, infinities included: the largest value
  nan        // beyond the largest value: infinity, else NaN, else (float4) the largest value
};

// Rounds once: to nearest, ties to even; float8_e8m0fnu rounds up, as ONNX Cast does by default. False if T
// cannot represent the value: NaN if T has none; a negative number if T has no sign; with Overflow::error
// also a value that rounds beyond the largest value, an infinity if T has none, and 0 if T has none.
template <SmallFloat T>
[[nodiscard]] constexpr bool round_small(double value, T& out, Overflow overflow = Overflow::error) {
  constexpr const SmallFloatLayout& kLayout = T::kLayout;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const double magnitude = std::bit_cast<double>(bits << 1 >> 1);
  const auto sign = static_cast<std::uint8_t>(kLayout.has_sign && negative ? 1 << (kLayout.bits - 1) : 0);
  // The sign for infinity, NaN and 0.
  const std::uint8_t special_sign = kLayout.has_minus_zero ? sign : std::uint8_t{0};
  const auto with_sign = [](std::uint8_t special, std::uint8_t with) {
    return static_cast<std::uint8_t>(special | with);
  };
  if (value != value) {
    out.bits = with_sign(kLayout.nan, special_sign);
    return kLayout.nan != 0;
  }
  if (!kLayout.has_sign && negative && magnitude != 0) return false;
  const bool is_infinite = magnitude == std::numeric_limits<double>::infinity();
  if (!kLayout.has_zero && magnitude == 0) {
    out.bits = overflow == Overflow::nan ? kLayout.nan : std::uint8_t{0};
    return overflow != Overflow::error;
  }
  const int rounded = is_infinite ? kLayout.largest + 1 : detail::rounded_magnitude<kLayout>(magnitude);
  if (rounded > kLayout.largest) {
    if (overflow == Overflow::error) {
      out.bits = with_sign(kLayout.infinity, special_sign);
      return is_infinite && kLayout.infinity != 0;
    }
    const std::uint8_t beyond = kLayout.infinity != 0 ? kLayout.infinity : kLayout.nan;
    const bool saturates = overflow == Overflow::saturate || beyond == 0;
    out.bits = saturates ? with_sign(kLayout.largest, sign) : with_sign(beyond, special_sign);
    return true;
  }
  out.bits = with_sign(static_cast<std::uint8_t>(rounded), rounded == 0 ? special_sign : sign);
  return true;
}

}  // namespace tensorop
