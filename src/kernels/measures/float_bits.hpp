// Floats as integers of the same bits.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "tensor/element.hpp"

namespace tensorop {

// The bits of a float as an integer, and the sign bit. For a dtype without a sign the latter is a bit above
// all others.
template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (SmallFloat<T>) {
    return meaning_bits(value);
  } else {
    using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    return std::bit_cast<Bits>(value);
  }
}
template <class T>
constexpr std::uint64_t sign_bit() {
  if constexpr (SmallFloat<T>) {
    return std::uint64_t{1} << (T::kLayout.has_sign ? T::kLayout.bits - 1 : T::kLayout.bits);
  } else {
    return std::uint64_t{1} << (8 * sizeof(T) - 1);
  }
}

template <class T>
bool has_same_bits(T a, T e) {
  return bits_of(a) == bits_of(e);
}
template <class T>
bool has_same_bits(std::complex<T> a, std::complex<T> e) {
  return has_same_bits(a.real(), e.real()) && has_same_bits(a.imag(), e.imag());
}

// The number of steps to the next value between two finite floats.
template <class T>
std::uint64_t ulp_distance(T a, T e) {
  constexpr std::uint64_t kSign = sign_bit<T>();
  const std::uint64_t a_bits = bits_of(a);
  const std::uint64_t e_bits = bits_of(e);
  const std::uint64_t a_size = a_bits & (kSign - 1);
  const std::uint64_t e_size = e_bits & (kSign - 1);
  if ((a_bits & kSign) != (e_bits & kSign)) return a_size + e_size;
  return a_size > e_size ? a_size - e_size : e_size - a_size;
}

}  // namespace tensorop
