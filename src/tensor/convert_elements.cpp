#include "tensor/convert_elements.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/checked.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

// Every cast goes through one of four wide types that holds the source exactly, so that a dtype needs two
// loops instead of one for each other dtype.
template <class T>
using Wide = std::conditional_t<
    Complex<T>, std::complex<double>,
    std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t,
                       std::conditional_t<std::integral<T> || SmallInteger<T> || std::is_same_v<T, Bool>,
                                          std::int64_t, double>>>;

template <class T>
Wide<T> widen_element(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return bool{value} ? 1 : 0;
  } else if constexpr (Complex<T>) {
    return {to_double(value.real()), to_double(value.imag())};
  } else if constexpr (SmallInteger<T>) {
    return to_integer(value);
  } else if constexpr (Half<T> || SmallFloat<T>) {
    return to_double(value);
  } else {
    return static_cast<Wide<T>>(value);
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

// The position of the first value that `to` cannot hold, or -1.
template <class W>
std::int64_t narrow_block(const W* wide, std::int64_t count, DType to, std::byte* out, Overflow overflow) {
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

template <class T>
std::int64_t cast_from(const std::byte* in, std::byte* out, DType to, std::int64_t count, Overflow overflow) {
  using W = Wide<T>;
  constexpr std::int64_t kBlockElements = 512;
  W wide[kBlockElements];
  for (std::int64_t first = 0; first < count; first += kBlockElements) {
    const std::int64_t n = std::min(kBlockElements, count - first);
    const StoredElements<T> elements = StoredElements<T>(in) + first;
    for (std::int64_t i = 0; i < n; ++i) wide[i] = widen_element(elements[i]);
    const std::int64_t bad = narrow_block(wide, n, to, out + first * element_size(to), overflow);
    if (bad >= 0) return first + bad;
  }
  return -1;
}

// Elements of float8_e5m2. A NaN keeps its bits, as in every cast to the own dtype.
void saturate_infinities(std::byte* elements, std::int64_t count) {
  constexpr std::byte kMagnitude{0x7F};
  constexpr std::byte kInfinity{0x7C};
  constexpr std::byte kLargest{0x7B};
  for (std::byte& element : std::span(elements, to_size(count))) {
    if ((element & kMagnitude) == kInfinity) element = (element & ~kMagnitude) | kLargest;
  }
}

}  // namespace

bool can_cast(DType from, DType to) {
  return from == to || (from != DType::string && to != DType::string);
}

std::int64_t cast_elements(std::byte* out, DType to, const std::byte* in, DType from, std::int64_t count,
                           Overflow overflow) {
  if (from == to) {
    std::memcpy(out, in, to_size(count * element_size(to)));
    if (saturates_itself(from, overflow)) saturate_infinities(out, count);
    return -1;
  }
  return dispatch(from, [&]<class T>(TypeTag<T>) -> std::int64_t {
    if constexpr (std::is_same_v<T, StringRef>) {
      return 0;
    } else {
      return cast_from<T>(in, out, to, count, overflow);
    }
  });
}

}  // namespace tensorop
