#include "tensor/convert_elements.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "base/checked.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

// Every cast goes through one of four wide types that holds the source exactly, so that a dtype needs two
// loops instead of one for each other dtype.
template <class T>
struct WideOf {
  using type = double;
};
template <std::integral T>
struct WideOf<T> {
  using type = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
};
template <SmallInteger T>
struct WideOf<T> {
  using type = std::int64_t;
};
template <>
struct WideOf<Bool> {
  using type = std::int64_t;
};
template <Complex T>
struct WideOf<T> {
  using type = std::complex<double>;
};

constexpr std::int64_t kBlockElements = 512;
using ComplexBlock = std::complex<double>[kBlockElements];  // room for any wide type

template <class T>
typename WideOf<T>::type widen_element(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return bool{value} ? 1 : 0;
  } else if constexpr (Complex<T>) {
    return {to_double(value.real()), to_double(value.imag())};
  } else if constexpr (SmallInteger<T>) {
    return to_integer(value);
  } else if constexpr (Half<T> || SmallFloat<T>) {
    return to_double(value);
  } else {
    return static_cast<typename WideOf<T>::type>(value);
  }
}

// False when T cannot hold the value.
template <class T, class W>
bool narrow(W value, T& out, Overflow overflow) {
  if constexpr (std::is_same_v<T, Bool>) {
    out = {static_cast<std::uint8_t>(value != W{0})};
    return true;
  } else if constexpr (Complex<T>) {
    Part<T> real = 0;
    Part<T> imag = 0;
    bool fits = true;
    if constexpr (Complex<W>) {
      fits = convert_real(value.real(), real) && convert_real(value.imag(), imag);
    } else {
      fits = convert_real(value, real);
    }
    out = {real, imag};
    return fits;
  } else if constexpr (Complex<W>) {
    return value.imag() == 0 && convert_real(value.real(), out, overflow);
  } else {
    return convert_real(value, out, overflow);
  }
}

template <class T>
void widen_block(const std::byte* in, std::int64_t count, ComplexBlock& block) {
  using W = typename WideOf<T>::type;
  auto* wide = reinterpret_cast<W*>(block);
  const StoredElements<T> elements(in);
  for (std::int64_t i = 0; i < count; ++i) wide[i] = widen_element(elements[i]);
}

template <class W>
std::int64_t narrow_block(const ComplexBlock& block, DType to, std::int64_t count, std::byte* out,
                          Overflow overflow) {
  const auto* wide = reinterpret_cast<const W*>(block);
  return dispatch(to, [&]<class T>(TypeTag<T>) -> std::int64_t {
    if constexpr (!std::is_same_v<T, StringRef>) {
      auto* elements = reinterpret_cast<T*>(out);
      for (std::int64_t i = 0; i < count; ++i) {
        if (!narrow(wide[i], elements[i], overflow)) return i;
      }
    }
    return -1;
  });
}

}  // namespace

bool can_cast(DType from, DType to) {
  return from == to || (from != DType::string && to != DType::string);
}

std::int64_t cast_elements(std::byte* out, DType to, const std::byte* in, DType from, std::int64_t count,
                           Overflow overflow) {
  if (from == to) {
    std::memcpy(out, in, to_size(count * element_size(to)));
    return -1;
  }
  for (std::int64_t first = 0; first < count; first += kBlockElements) {
    const std::int64_t n = std::min(kBlockElements, count - first);
    ComplexBlock block;
    const std::byte* source = in + first * element_size(from);
    std::byte* target = out + first * element_size(to);
    const std::int64_t bad = dispatch(from, [&]<class T>(TypeTag<T>) -> std::int64_t {
      if constexpr (std::is_same_v<T, StringRef>) {
        return 0;
      } else {
        widen_block<T>(source, n, block);
        return narrow_block<typename WideOf<T>::type>(block, to, n, target, overflow);
      }
    });
    if (bad >= 0) return first + bad;
  }
  return -1;
}

}  // namespace tensorop
