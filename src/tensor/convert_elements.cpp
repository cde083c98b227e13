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

// Every cast goes through one of six wide types that holds the source exactly: each dtype needs two loops,
// not a loop for each pair. Loops over 32-bit wide types convert four elements at a time.
template <class T>
using WideInteger = std::conditional_t<
    std::is_same_v<T, std::uint64_t>, std::uint64_t,
    std::conditional_t<(sizeof(T) > 4 || std::is_same_v<T, std::uint32_t>), std::int64_t, std::int32_t>>;
template <class T>
using Wide = std::conditional_t<
    Complex<T>, std::complex<double>,
    std::conditional_t<std::integral<T> || SmallInteger<T> || std::is_same_v<T, Bool>, WideInteger<T>,
                       std::conditional_t<std::is_same_v<T, double>, double, float>>>;

template <class T>
Wide<T> widen_element(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return bool{value} ? 1 : 0;
  } else if constexpr (Complex<T>) {
    return {to_double(value.real()), to_double(value.imag())};
  } else if constexpr (SmallInteger<T>) {
    return to_integer(value);
  } else if constexpr (Half<T> || SmallFloat<T>) {
    return to_float(value);
  } else {
    return static_cast<Wide<T>>(value);
  }
}

// Conversions of a real value, which return 0, or nonzero bits if the result cannot hold it: for loops, and
// for one value.
struct Joinable {
  auto operator()(auto value, auto& out, Overflow overflow) const {
    return convert_joinable(value, out, overflow);
  }
};
struct Single {
  unsigned operator()(auto value, auto& out, Overflow overflow) const {
    return convert_real(value, out, overflow) ? 0 : 1;
  }
};

template <class Convert, class T, class W>
std::uint64_t narrow_complex(const W& value, T& out, Overflow overflow) {
  const Convert convert;
  if constexpr (!Complex<T>) {
    return value.imag() == 0 ? convert(value.real(), out, overflow) : 1;
  } else {
    Part<T> real = 0;
    Part<T> imag = 0;
    std::uint64_t misfit = 0;
    if constexpr (Complex<W>) {
      misfit = convert(value.real(), real, overflow) | convert(value.imag(), imag, overflow);
    } else {
      misfit = convert(value, real, overflow);
    }
    out = {real, imag};
    return misfit;
  }
}

template <class Convert, class T, class W>
auto narrow(W value, T& out, Overflow overflow) {
  if constexpr (std::is_same_v<T, Bool>) {
    out = {static_cast<std::uint8_t>(value != W{0})};
    return 0U;
  } else if constexpr (Complex<T> || Complex<W>) {
    return narrow_complex<Convert>(value, out, overflow);
  } else {
    return Convert()(value, out, overflow);
  }
}

// Returns the position of the first value that T cannot hold, or -1. The first loop has no branch, so that it
// vectorizes; the second loop, after a misfit, saturates, or searches the position.
template <class T, class W>
std::int64_t narrow_block(StoredElements<W> wide, std::int64_t count, T* out, Overflow overflow) {
  decltype(narrow<Joinable>(W{}, *out, overflow)) misfit = 0;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) misfit |= narrow<Joinable>(wide[i], out[i], overflow);
  if (misfit == 0) return -1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (narrow<Single>(wide[i], out[i], overflow) != 0) return i;
  }
  return -1;
}

template <class T>
std::int64_t cast_from(const std::byte* in, std::byte* out, DType to, std::int64_t count, Overflow overflow) {
  using W = Wide<T>;
  constexpr std::int64_t kBlockElements = 512;
  W wide[kBlockElements];
  for (std::int64_t first = 0; first < count; first += kBlockElements) {
    const std::int64_t n = std::min(kBlockElements, count - first);
    const StoredElements<T> elements = StoredElements<T>(in) + first;
    StoredElements<W> values(reinterpret_cast<const std::byte*>(wide));
    if constexpr (std::is_same_v<T, W>) {
      values = elements;
    } else {
      for (std::int64_t i = 0; i < n; ++i) wide[i] = widen_element(elements[i]);
    }
    const std::int64_t bad = dispatch(to, [&]<class To>(TypeTag<To>) -> std::int64_t {
      if constexpr (std::is_same_v<To, StringRef>) {
        return -1;
      } else {
        return narrow_block(values, n, reinterpret_cast<To*>(out) + first, overflow);
      }
    });
    if (bad >= 0) return first + bad;
  }
  return -1;
}

// Replaces infinities of float8_e5m2 by the largest value. A NaN keeps its bits.
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
