// Element-wise arithmetic on two elements, in addition to arithmetic.hpp. If the result is undefined for some
// operands, apply() takes a Fault and sets it; the returned value is then meaningless, but no operand traps.
// Source: docs/ops/elementwise.md (rules EW-7 and EW-8).
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/elements/arithmetic.hpp"
#include "kernels/fault.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {

namespace formula {
struct Quotient {
  template <Floating T>
  static T compute(T a, T b) {
    return a / b;
  }
  // Smith's method: scales by the larger part of the divisor, so that no square of a part overflows.
  template <Complex T>
  static T compute(T x, T y) {
    const auto a = x.real();
    const auto b = x.imag();
    const auto c = y.real();
    const auto d = y.imag();
    if (std::fabs(c) >= std::fabs(d)) {
      const auto ratio = d / c;
      const auto divisor = c + d * ratio;
      return {(a + b * ratio) / divisor, (b - a * ratio) / divisor};
    }
    const auto ratio = c / d;
    const auto divisor = c * ratio + d;
    return {(a * ratio + b) / divisor, (b * ratio - a) / divisor};
  }
};

// The sign of a remainder. The remainder is exact, as fmod computes it, and then gets this sign.
enum class RemainderSign : std::uint8_t {
  dividend,
  divisor,             // as % in Python
  divisor_if_nonzero,  // a remainder of zero keeps the sign of the dividend: PyTorch, JAX
};
template <RemainderSign kSign>
struct Remainder {
  template <Floating T>
  static T compute(T a, T b) {
    const T remainder = std::fmod(a, b);
    if (kSign == RemainderSign::dividend) return remainder;
    if (remainder == 0) return kSign == RemainderSign::divisor ? std::copysign(T{0}, b) : remainder;
    return (remainder < 0) != (b < 0) ? remainder + b : remainder;
  }
};

struct SquaredDifference {
  template <class T>
  static T compute(T a, T b) {
    const T difference = a - b;
    return Product::compute(difference, difference);
  }
};
}  // namespace formula

namespace detail {
// base^exponent modulo 2^64, and so modulo 2^8, 2^16 and 2^32.
inline std::uint64_t wrapped_power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}
}  // namespace detail

// Real division. The quotient of integers is rounded towards zero or towards minus infinity.
template <bool kFloor>
struct Quotient : Arithmetic<formula::Quotient> {
  using Arithmetic::apply;
  template <std::integral T>
  static T apply(T a, T b, Fault& fault) {
    if (b == 0) {
      fault = Fault::division_by_zero;
      return 0;
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(0U - wide(a));  // MIN / -1 traps in hardware
      if (kFloor && a % b != 0 && (a < 0) != (b < 0)) return static_cast<T>(a / b - 1);
    }
    return static_cast<T>(a / b);
  }
};
using Div = Quotient<false>;
using FloorDiv = Quotient<true>;

// The remainder that belongs to that quotient.
using formula::RemainderSign;
template <RemainderSign kSign>
struct Remainder : Arithmetic<formula::Remainder<kSign>> {
  using Arithmetic<formula::Remainder<kSign>>::apply;
  template <std::integral T>
  static T apply(T a, T b, Fault& fault) {
    if (b == 0) {
      fault = Fault::division_by_zero;
      return 0;
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;  // MIN % -1 traps in hardware
      const T remainder = static_cast<T>(a % b);
      const bool moves = kSign != RemainderSign::dividend && remainder != 0 && (remainder < 0) != (b < 0);
      return moves ? static_cast<T>(remainder + b) : remainder;
    }
    return static_cast<T>(a % b);
  }
};
using Mod = Remainder<RemainderSign::dividend>;
using FloorMod = Remainder<RemainderSign::divisor>;
using FloorModKeepingZero = Remainder<RemainderSign::divisor_if_nonzero>;

using SquaredDifference = Arithmetic<formula::SquaredDifference>;

// The product of a difference of complex numbers with its conjugate, which is real.
struct SquaredDistance {
  template <Complex T>
  static T apply(T a, T b) {
    const T difference = a - b;
    const auto real = difference.real() * difference.real() + difference.imag() * difference.imag();
    return canonical(T{real, 0});
  }
};

// Returns a value that is not negative unchanged, bit for bit, and multiplies any other by its slope.
struct Prelu {
  template <class T>
  requires std::integral<T> || Floating<T>
  static T apply(T value, T slope) { return value >= 0 ? value : Mul::apply(slope, value); }
  template <Half T>
  static T apply(T value, T slope) {
    return to_float(value) >= 0 ? value : Mul::apply(slope, value);
  }
};

// Powers. The exponent may have another type than the base.
struct Pow {
  template <std::integral T, std::integral E>
  static T apply(T base, E exponent, Fault& fault) {
    if (std::cmp_greater_equal(exponent, 0)) {
      return static_cast<T>(
          detail::wrapped_power(static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(exponent)));
    }
    if (base == 0) fault = Fault::zero_power;
    if (base == 1) return 1;
    if (std::cmp_equal(base, -1)) return static_cast<T>(exponent % 2 == 0 ? 1 : -1);
    return 0;
  }
  template <std::integral T, AnyFloat E>
  static T apply(T base, E exponent, Fault& fault) {
    constexpr double kEnd =
        2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));
    constexpr double kBegin = std::is_signed_v<T> ? -kEnd : 0.0;
    const double power = std::trunc(std::pow(static_cast<double>(base), to_double(exponent)));
    if (power >= kBegin && power < kEnd) return static_cast<T>(power);
    fault = Fault::unrepresentable;  // NaN too
    return 0;
  }
  template <AnyFloat T, Real E>
  static T apply(T base, E exponent) {
    return canonical(round_to<T>(std::pow(to_double(base), to_double(exponent))));
  }
};

// Powers of integers in which zero to a negative power is 0, as in StableHLO and PyTorch.
struct PowOfZero {
  template <std::integral T>
  static T apply(T base, T exponent) {
    Fault fault = Fault::none;
    return Pow::apply(base, exponent, fault);
  }
};

// Powers of integers without negative exponents, as in NumPy.
struct NaturalPow {
  template <std::integral T>
  static T apply(T base, T exponent, Fault& fault) {
    if (std::cmp_less(exponent, 0)) fault = Fault::negative_power;
    return PowOfZero::apply(base, exponent);
  }
};

}  // namespace tensorop
