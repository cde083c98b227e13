// What one element does with another, for every dtype: shared by scatter reductions and element-wise loops.
// Source: sections 1.5 to 1.7 and 4.5 of the specification (G-5, G-6, G-7).
#pragma once

#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/dtype.hpp"

namespace tensorop {

template <class T>
concept Half = std::same_as<T, Float16> || std::same_as<T, BFloat16>;
template <class T>
concept Floating = std::floating_point<T>;
template <class T>
concept Complex = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <Half T>
[[nodiscard]] T round_half(float value) {
  if constexpr (std::same_as<T, Float16>) {
    return to_float16(value);
  } else {
    return to_bfloat16(value);
  }
}

// The unsigned type integers are added and multiplied in: at least 32 bits, because uint16 * uint16 would be
// done in signed int, where 65535 * 65535 overflows.
template <std::integral T>
using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

template <std::integral T>
[[nodiscard]] Wide<T> wide(T value) {
  return static_cast<Wide<T>>(value);
}

struct Add {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(wide(a) + wide(b));
  }
  template <Floating T>
  static T apply(T a, T b) {
    return a + b;
  }
  template <Half T>
  static T apply(T a, T b) {
    return round_half<T>(to_float(a) + to_float(b));
  }
  template <Complex T>
  static T apply(T a, T b) {
    return {a.real() + b.real(), a.imag() + b.imag()};
  }
  static Bool apply(Bool a, Bool b) { return {static_cast<std::uint8_t>(bool{a} || bool{b})}; }
};

struct Sub {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(wide(a) - wide(b));
  }
  template <Floating T>
  static T apply(T a, T b) {
    return a - b;
  }
  template <Half T>
  static T apply(T a, T b) {
    return round_half<T>(to_float(a) - to_float(b));
  }
  template <Complex T>
  static T apply(T a, T b) {
    return {a.real() - b.real(), a.imag() - b.imag()};
  }
  static Bool apply(Bool a, Bool b) { return {static_cast<std::uint8_t>(bool{a} != bool{b})}; }
};

struct Mul {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(wide(a) * wide(b));
  }
  template <Floating T>
  static T apply(T a, T b) {
    return a * b;
  }
  template <Half T>
  static T apply(T a, T b) {
    return round_half<T>(to_float(a) * to_float(b));
  }
  // The plain formula: the library's operator mends infinities in ways the specification does not.
  template <Complex T>
  static T apply(T a, T b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  static Bool apply(Bool a, Bool b) { return {static_cast<std::uint8_t>(bool{a} && bool{b})}; }
};

namespace detail {
template <Floating T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// minimum and maximum of IEEE 754-2019: NaN wins, the first one's payload, made quiet; -0 is below +0. Equal
// operands have equal bits except for the zeros, whose signs are joined.
template <bool kMax, Floating T>
T extreme(T a, T b) {
  const auto bits_a = std::bit_cast<BitsOf<T>>(a);
  const auto bits_b = std::bit_cast<BitsOf<T>>(b);
  const T equal = std::bit_cast<T>(kMax ? bits_a & bits_b : bits_a | bits_b);
  const T ordered = (kMax ? a > b : a < b) ? a : b;
  const T result = a == b ? equal : ordered;
  const T with_b = b != b ? b + b : result;
  return a != a ? a + a : with_b;
}
}  // namespace detail

template <bool kMax>
struct Extreme {
  template <std::integral T>
  static T apply(T a, T b) {
    return (kMax ? a > b : a < b) ? a : b;
  }
  template <Floating T>
  static T apply(T a, T b) {
    return detail::extreme<kMax>(a, b);
  }
  template <Half T>
  static T apply(T a, T b) {
    return round_half<T>(detail::extreme<kMax>(to_float(a), to_float(b)));
  }
  static Bool apply(Bool a, Bool b) { return kMax ? Add::apply(a, b) : Mul::apply(a, b); }
};
using Min = Extreme<false>;
using Max = Extreme<true>;

}  // namespace tensorop
