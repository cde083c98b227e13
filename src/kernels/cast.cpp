#include "kernels/cast.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "kernels/arithmetic.hpp"

namespace tensorop {
namespace {

// Every cast goes through one of four wide types that holds the source exactly, so that sixteen dtypes need
// two loops each instead of sixteen.
template <class T>
struct WideOf {
  using type = double;
};
template <std::integral T>
struct WideOf<T> {
  using type = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
};
template <>
struct WideOf<Bool> {
  using type = std::int64_t;
};
template <Complex T>
struct WideOf<T> {
  using type = std::complex<double>;
};

constexpr std::int64_t kBlock = 512;
using Block = std::complex<double>[kBlock];  // room for any wide type

template <class T>
typename WideOf<T>::type widen(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return bool{value} ? 1 : 0;
  } else if constexpr (Half<T>) {
    return static_cast<double>(to_float(value));
  } else if constexpr (Complex<T>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  } else {
    return static_cast<typename WideOf<T>::type>(value);
  }
}

// A whole number as a double that rounds to 53 bits or fewer as the number itself would: the bits that do not
// fit are gathered in the last one.
double to_double_odd(std::uint64_t magnitude) {
  constexpr int kSpareBits = 11;
  if (magnitude >> (64 - kSpareBits) == 0) return static_cast<double>(magnitude);
  const std::uint64_t lost = magnitude & ((1U << kSpareBits) - 1);
  const std::uint64_t kept = magnitude >> kSpareBits | (lost != 0 ? 1U : 0U);
  return std::ldexp(static_cast<double>(kept), kSpareBits);
}

template <class T>
bool narrow_float(double value, T& out) {
  if constexpr (Half<T>) {
    if constexpr (std::is_same_v<T, Float16>) {
      out = to_float16(value);
    } else {
      out = to_bfloat16(value);
    }
    return !std::isfinite(value) || std::isfinite(to_float(out));
  } else {
    out = static_cast<T>(value);
    return !std::isfinite(value) || std::isfinite(out);
  }
}

// False when T cannot hold the value.
template <class T, class W>
bool narrow(W value, T& out) {
  if constexpr (std::is_same_v<W, std::complex<double>>) {
    if constexpr (Complex<T>) {
      using Part = typename T::value_type;
      Part real = 0;
      Part imag = 0;
      const bool fits = narrow_float(value.real(), real) && narrow_float(value.imag(), imag);
      out = {real, imag};
      return fits;
    } else if constexpr (std::is_same_v<T, Bool>) {
      out = {static_cast<std::uint8_t>(value.real() != 0 || value.imag() != 0)};
      return true;
    } else {
      return value.imag() == 0 && narrow(value.real(), out);
    }
  } else if constexpr (Complex<T>) {
    typename T::value_type real = 0;
    const bool fits = narrow(value, real);
    out = {real, 0};
    return fits;
  } else if constexpr (std::is_same_v<T, Bool>) {
    out = {static_cast<std::uint8_t>(value != 0)};
    return true;
  } else if constexpr (std::is_integral_v<T> && std::is_same_v<W, double>) {
    const double whole = std::trunc(value);
    // The bounds as doubles: the upper one is a power of two and exact; the comparison is false for NaN.
    constexpr T kHalf = std::numeric_limits<T>::max() / 2 + 1;
    constexpr double kUpper = 2.0 * static_cast<double>(kHalf);
    constexpr double kLower = static_cast<double>(std::numeric_limits<T>::min());
    if (!(whole >= kLower && whole < kUpper)) return false;
    out = static_cast<T>(whole);
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    if (!std::in_range<T>(value)) return false;
    out = static_cast<T>(value);
    return true;
  } else if constexpr (Half<T> && std::is_integral_v<W>) {
    const bool negative = std::cmp_less(value, 0);
    const auto magnitude =
        negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const double rounded = to_double_odd(magnitude);
    return narrow_float(negative ? -rounded : rounded, out);
  } else if constexpr (std::is_integral_v<W>) {
    out = static_cast<T>(value);
    return true;
  } else {
    return narrow_float(value, out);
  }
}

template <class T>
void widen_block(const std::byte* in, std::int64_t count, Block& block) {
  using W = typename WideOf<T>::type;
  auto* wide = reinterpret_cast<W*>(block);
  const auto* elements = reinterpret_cast<const T*>(in);
  for (std::int64_t i = 0; i < count; ++i) wide[i] = widen(elements[i]);
}

template <class W>
std::int64_t narrow_block(const Block& block, DType to, std::int64_t count, std::byte* out) {
  const auto* wide = reinterpret_cast<const W*>(block);
  return dispatch(to, [&]<class T>(TypeTag<T>) -> std::int64_t {
    if constexpr (!std::is_same_v<T, StringRef>) {
      auto* elements = reinterpret_cast<T*>(out);
      for (std::int64_t i = 0; i < count; ++i) {
        if (!narrow(wide[i], elements[i])) return i;
      }
    }
    return -1;
  });
}

}  // namespace

bool can_cast(DType from, DType to) {
  return from == to || (from != DType::string && to != DType::string);
}

std::int64_t cast_elements(std::byte* out, DType to, const std::byte* in, DType from, std::int64_t count) {
  if (from == to) {
    std::memcpy(out, in, to_size(count * element_size(to)));
    return -1;
  }
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const std::int64_t n = std::min(kBlock, count - first);
    Block block;
    const std::byte* source = in + first * element_size(from);
    std::byte* target = out + first * element_size(to);
    const std::int64_t bad = dispatch(from, [&]<class T>(TypeTag<T>) -> std::int64_t {
      if constexpr (std::is_same_v<T, StringRef>) {
        return 0;
      } else {
        widen_block<T>(source, n, block);
        return narrow_block<typename WideOf<T>::type>(block, to, n, target);
      }
    });
    if (bad >= 0) return first + bad;
  }
  return -1;
}

}  // namespace tensorop
