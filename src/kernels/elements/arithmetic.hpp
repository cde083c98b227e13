// Arithmetic on two elements of any dtype, shared by scatter reductions and element-wise loops. Source:
// docs/ops/elementwise.md and docs/ops/scatter.md.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/dtype.hpp"

namespace tensorop {

// The unsigned type for sums and products of integers: at least 32 bits, because C++ would compute uint16 *
// uint16 in signed int, where 65535 * 65535 overflows.
template <std::integral T>
using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

template <std::integral T>
[[nodiscard]] Wide<T> wide(T value) {
  return static_cast<Wide<T>>(value);
}

[[nodiscard]] inline Bool to_bool(bool value) {
  return {static_cast<std::uint8_t>(value)};
}

// Replaces a NaN result of floating-point arithmetic by one NaN: positive, quiet and without payload.
// Processors produce different NaNs. Of two NaN operands an instruction returns the first, and compilers may
// swap the operands of sums and products.
template <Floating T>
[[nodiscard]] T canonical(T result) {
  return result == result ? result : std::numeric_limits<T>::quiet_NaN();
}
template <Half T>
[[nodiscard]] T canonical(T result) {
  using Traits = HalfTraits<T>;
  constexpr std::int32_t kNan = Traits::kInfinity | Traits::kQuiet;
  return {static_cast<std::uint16_t>(
      detail::choose((result.bits & 0x7FFF) > Traits::kInfinity, kNan, result.bits))};
}
template <Complex T>
[[nodiscard]] T canonical(T result) {
  return {canonical(result.real()), canonical(result.imag())};
}

// Applies a formula to elements of the types that it supports. Integers wrap; 16-bit floats are computed in
// float32 and rounded once.
template <class Formula>
struct Arithmetic {
  template <std::integral T>
  requires requires(Wide<T> a) { Formula::compute(a, a); }
  static T apply(T a, T b) { return static_cast<T>(Formula::compute(wide(a), wide(b))); }
  template <class T>
  requires(Floating<T> || Complex<T>) && requires(T a) { Formula::compute(a, a); }
  static T apply(T a, T b) { return canonical(Formula::compute(a, b)); }
  template <Half T>
  static T apply(T a, T b) {
    return canonical(round_half<T>(Formula::compute(to_float(a), to_float(b))));
  }
  static Bool apply(Bool a, Bool b) requires requires { Formula::compute_bools(a, b); }
  { return to_bool(Formula::compute_bools(a, b)); }
};

namespace formula {
struct Sum {
  template <class T>
  static T compute(T a, T b) {
    return a + b;
  }
  static bool compute_bools(Bool a, Bool b) { return (a.byte | b.byte) != 0; }
};
struct Difference {
  template <class T>
  static T compute(T a, T b) {
    return a - b;
  }
  static bool compute_bools(Bool a, Bool b) { return (a.byte != 0) != (b.byte != 0); }
};
struct Product {
  template <class T>
  static T compute(T a, T b) {
    return a * b;
  }
  // The operator of std::complex corrects infinities; the specifications do not.
  template <Complex T>
  static T compute(T a, T b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  static bool compute_bools(Bool a, Bool b) { return (a.byte != 0) & (b.byte != 0); }
};
}  // namespace formula
using Add = Arithmetic<formula::Sum>;
using Sub = Arithmetic<formula::Difference>;
using Mul = Arithmetic<formula::Product>;

namespace detail {
template <Floating T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// minimum and maximum of IEEE 754-2019. A NaN wins, with the payload of the first NaN, made quiet; -0 is less
// than +0. Equal operands differ in bits only if they are zeros, so the bits of both choices are joined,
// which joins their signs. The code only selects between floats, so loops over it have no branch.
template <bool kMax, Floating T>
T extreme(T a, T b) {
  using Bits = BitsOf<T>;
  constexpr Bits kQuiet = Bits{1} << (std::numeric_limits<T>::digits - 2);
  const auto quiet = [](T nan) { return std::bit_cast<T>(std::bit_cast<Bits>(nan) | kQuiet); };
  const auto one = std::bit_cast<Bits>((kMax ? a > b : a < b) ? a : b);
  const auto other = std::bit_cast<Bits>((kMax ? b > a : b < a) ? b : a);
  const T number = std::bit_cast<T>(kMax ? one & other : one | other);
  const T with_b = b != b ? quiet(b) : number;
  return a != a ? quiet(a) : with_b;
}

// Works on the bits of 16-bit floats. With all bits but the sign of negative values inverted, the bits as
// integers have the order of the values, with -0 just below +0.
template <bool kMax, Half T>
T extreme(T a, T b) {
  using Traits = HalfTraits<T>;
  const auto key = [](T value) {
    const auto bits = static_cast<std::int16_t>(value.bits);
    return static_cast<std::int16_t>(bits ^ ((bits >> 15) & 0x7FFF));
  };
  const auto is_nan = [](T value) { return (value.bits & 0x7FFF) > Traits::kInfinity; };
  const auto quiet = [](T value) { return static_cast<std::uint16_t>(value.bits | Traits::kQuiet); };
  const std::uint16_t number = (kMax ? key(a) > key(b) : key(a) < key(b)) ? a.bits : b.bits;
  const std::uint16_t with_b = is_nan(b) ? quiet(b) : number;
  return {is_nan(a) ? quiet(a) : with_b};
}
}  // namespace detail

template <bool kMax>
struct Extreme {
  template <std::integral T>
  static T apply(T a, T b) {
    return (kMax ? a > b : a < b) ? a : b;
  }
  template <AnyFloat T>
  static T apply(T a, T b) {
    return detail::extreme<kMax>(a, b);
  }
  static Bool apply(Bool a, Bool b) { return kMax ? Add::apply(a, b) : Mul::apply(a, b); }
};
using Min = Extreme<false>;
using Max = Extreme<true>;

}  // namespace tensorop
