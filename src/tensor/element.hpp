// The C++ types of elements, and the concepts for templates over them.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "tensor/half.hpp"
#include "tensor/small_number.hpp"

namespace tensorop {

// A bool element: one byte, where any value but 0 counts as true; moving preserves the byte.
struct Bool {
  std::uint8_t byte = 0;
  explicit operator bool() const { return byte != 0; }
};

// A string element: UTF-8 bytes in an arena that the tensor owns. 16 bytes, so that strings move as elements
// of width 16.
struct StringRef {
  const char* data = nullptr;
  std::int64_t size = 0;  // bytes
  [[nodiscard]] std::string_view view() const { return {data, static_cast<std::size_t>(size)}; }
};
static_assert(sizeof(StringRef) == 16);

// The integer dtypes are exactly the types with std::integral: Bool is a class of its own.
template <class T>
concept Floating = std::floating_point<T>;
template <class T>
concept Complex = requires {
  typename T::value_type;
  requires std::same_as<T, std::complex<typename T::value_type>>;
};
// All floats from 16 bits on.
template <class T>
concept AnyFloat = Floating<T> || Half<T>;
// The numbers that arithmetic is defined for.
template <class T>
concept Real = std::integral<T> || AnyFloat<T>;
// All numeric types except complex.
template <class T>
concept Number = Real<T> || SmallNumber<T>;

namespace detail {
template <class T>
struct PartOf {
  using type = T;
};
template <Complex T>
struct PartOf<T> {
  using type = typename T::value_type;
};
}  // namespace detail

// The type of the real and the imaginary part of a complex type; any other type itself.
template <class T>
using Part = typename detail::PartOf<T>::type;

// A word for moving any element of 16 bytes.
struct Word128 {
  std::uint64_t low;
  std::uint64_t high;
};

}  // namespace tensorop
