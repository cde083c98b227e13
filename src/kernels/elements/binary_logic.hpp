// Comparisons, logical and bitwise operators and shifts of two elements, in the form of
// binary_arithmetic.hpp. Source: docs/ops/elementwise.md (rule EW-8).
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "kernels/elements/binary_arithmetic.hpp"

namespace tensorop {

// Comparisons apply one relation to the comparable form of both elements.
namespace detail {
template <class T>
[[nodiscard]] auto comparable(T value) {
  if constexpr (Half<T>) {
    return to_float(value);
  } else if constexpr (std::same_as<T, Bool>) {
    return static_cast<std::uint8_t>(value.byte != 0);
  } else if constexpr (std::same_as<T, StringRef>) {
    return value.view();
  } else {
    return value;
  }
}
}  // namespace detail

template <class T>
concept Ordered = Real<T> || std::same_as<T, Bool>;
template <class T>
concept Comparable = Ordered<T> || Complex<T> || std::same_as<T, StringRef>;

template <class Relation, bool kOfOrder>
struct Compare {
  template <Comparable T>
  requires(!kOfOrder || Ordered<T>) static Bool apply(T a, T b) {
    return to_bool(Relation()(detail::comparable(a), detail::comparable(b)));
  }
  // Complex numbers are ordered by their real parts, then by their imaginary parts.
  template <Complex T>
  requires kOfOrder static Bool apply(T a, T b) {
    const bool by_real = a.real() != b.real();
    return to_bool(by_real ? Relation()(a.real(), b.real()) : Relation()(a.imag(), b.imag()));
  }
};
using Equal = Compare<std::equal_to<>, false>;
using NotEqual = Compare<std::not_equal_to<>, false>;
using Less = Compare<std::less<>, true>;
using LessOrEqual = Compare<std::less_equal<>, true>;
using Greater = Compare<std::greater<>, true>;
using GreaterOrEqual = Compare<std::greater_equal<>, true>;

// The order of complex numbers in NumPy: a number with a NaN is not comparable.
template <class Order>
struct WithoutNan {
  template <Complex T>
  static Bool apply(T a, T b) {
    return to_bool(a == a && b == b && Order::apply(a, b).byte != 0);
  }
};
// The extreme of complex numbers: the first operand if the two are in order, otherwise the second.
template <class Order>
struct FirstIf {
  template <Complex T>
  static T apply(T a, T b) {
    return Order::apply(a, b).byte != 0 ? a : b;
  }
};
// NumPy's extreme: a first operand with a NaN wins.
template <class Order>
struct FirstIfOrNan {
  template <Complex T>
  static T apply(T a, T b) {
    return a != a ? a : FirstIf<WithoutNan<Order>>::apply(a, b);
  }
};

// Bitwise operators; for bool, the logical operators.
template <class OfBits, class OfBool>
struct Bitwise {
  static Bool apply(Bool a, Bool b) { return OfBool::apply(a, b); }
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(OfBits()(a, b));
  }
};
using And = Bitwise<std::bit_and<>, Mul>;
using Or = Bitwise<std::bit_or<>, Add>;
using Xor = Bitwise<std::bit_xor<>, Sub>;

// Logical operators. A number is true if it differs from zero; NaN does.
template <class OfBool>
struct Logical {
  template <class T>
  requires(Real<T> || Complex<T>) static Bool apply(T a, T b) {
    return OfBool::apply(NotEqual::apply(a, T{}), NotEqual::apply(b, T{}));
  }
};
using LogicalAnd = Logical<Mul>;
using LogicalOr = Logical<Add>;
using LogicalXor = Logical<Sub>;

// A shift by at least the width gives 0, or -1 for a negative value shifted to the right.
template <bool kLeft>
struct Shift {
  template <std::integral T>
  static T shifted(T a, T amount) {
    constexpr T kBits = 8 * sizeof(T);
    if constexpr (kLeft) {
      return amount < kBits ? static_cast<T>(wide(a) << amount) : T{0};
    } else {
      // The shift of a signed value is arithmetic; a shift by kBits - 1 leaves only the sign.
      if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (amount < kBits ? amount : kBits - 1));
      return amount < kBits ? static_cast<T>(a >> amount) : T{0};
    }
  }
  template <std::unsigned_integral T>
  static T apply(T a, T amount) {
    return shifted(a, amount);
  }
  template <std::signed_integral T>
  static T apply(T a, T amount, Fault& fault) {
    if (amount >= 0) return shifted(a, amount);
    fault = Fault::negative_shift;
    return 0;
  }
};
using ShiftLeft = Shift<true>;
using ShiftRight = Shift<false>;

// A shift whose negative amount shifts all bits out, as an amount of at least the width does.
template <bool kLeft>
struct AnyShift {
  template <std::integral T>
  static T apply(T a, T amount) {
    constexpr T kBits = 8 * sizeof(T);
    return Shift<kLeft>::shifted(a, std::cmp_less(amount, 0) ? kBits : amount);
  }
};
using AnyShiftLeft = AnyShift<true>;
using AnyShiftRight = AnyShift<false>;

// Shifts the bits of a signed integer as if it were unsigned.
struct ShiftRightLogical {
  template <std::unsigned_integral T>
  static T apply(T a, T amount) {
    return ShiftRight::shifted(a, amount);
  }
  template <std::signed_integral T>
  static T apply(T a, T amount, Fault& fault) {
    using Bits = std::make_unsigned_t<T>;
    if (amount >= 0)
      return static_cast<T>(ShiftRight::shifted(static_cast<Bits>(a), static_cast<Bits>(amount)));
    fault = Fault::negative_shift;
    return 0;
  }
};

}  // namespace tensorop
