// Compares the elements of two blocks, and passes the error of each differing element to a recorder. Shared
// by the search for the largest errors (difference.cpp) and pictures of all errors (error_picture.cpp).
//
// A recorder has the functions of ElementRules, and
//   add_other_bits()                     the bits of an element differ; called before the other functions
//   pass_but_for_bits(same_bits, at)     two zeros or NaNs, which may differ in their bits
//   fail(at), fail_unfixable(at)         an element without a distance; one that passes under no tolerance
//   measure(deviation, ulp, at, unit)    two numbers that differ. The deviation is measured in `unit`: 1, or
//                                        more if it would exceed the range of a double. `ulp` is 0 for dtypes
//                                        without a distance in ulp
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/measures/difference.hpp"
#include "kernels/measures/float_bits.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop::walk {

// Bytes of a block. If the bytes of both blocks are equal, the numbers need not be compared.
inline constexpr std::int64_t kBlockBytes = 1 << 14;

// |a-e| and |e|: exact integers, or doubles.
template <class D>
struct Deviation {
  D distance;
  D magnitude;
};

// Whether the distance is at most atol + rtol * magnitude. No integer is rounded.
inline bool is_within(const Deviation<double>& deviation, double atol, double rtol) {
  return deviation.distance <= atol + rtol * deviation.magnitude;
}
inline bool is_within(const Deviation<std::uint64_t>& deviation, double atol, double rtol) {
  if (rtol == 0) return !(atol < 0x1p64) || deviation.distance <= static_cast<std::uint64_t>(atol);
  const auto distance = static_cast<double>(deviation.distance);
  const double bound = atol + rtol * static_cast<double>(deviation.magnitude);
  // Doubles hold these integers exactly. For a decimal rtol like 0.3 the rounded product counts.
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (deviation.distance <= kExact && deviation.magnitude <= kExact) return distance <= bound;
  // Each of the roundings has an error of at most 2^-53.
  constexpr double kMostError = 0x1p-50;
  if (!(std::abs(distance - bound) <= distance * kMostError)) return distance <= bound;
  return is_within_exactly(deviation.distance, deviation.magnitude, atol, rtol);
}

// Decides which elements pass and which are left out.
class ElementRules {
 public:
  ElementRules(const ElementTolerance& tolerance, const Tensor* left_out)
      : rtol_(tolerance.rtol),
        atol_(tolerance.atol),
        max_ulp_(tolerance.max_ulp.value_or(0)),
        nan_unequal_(tolerance.nan_unequal),
        exact_bits_(tolerance.exact_bits),
        left_out_(left_out == nullptr ? nullptr : left_out->data()) {}

  [[nodiscard]] bool nan_unequal() const { return nan_unequal_; }
  [[nodiscard]] bool exact_bits() const { return exact_bits_; }
  [[nodiscard]] bool leaves_out(std::int64_t at) const {
    return left_out_ != nullptr && left_out_[at] != std::byte{0};
  }
  [[nodiscard]] double rtol() const { return rtol_; }
  [[nodiscard]] double atol() const { return atol_; }
  template <class D>
  [[nodiscard]] bool is_within_bound(const Deviation<D>& deviation, double unit) const {
    return is_within(deviation, atol_ / unit, rtol_);
  }
  // `ulp` is 0 for a dtype without ulp: 0 - 1 is the largest number, so never within.
  [[nodiscard]] bool is_within_ulp(std::uint64_t ulp) const { return ulp - 1 < max_ulp_; }

 private:
  double rtol_;
  double atol_;
  std::uint64_t max_ulp_;
  bool nan_unequal_;
  bool exact_bits_;
  const std::byte* left_out_;
};

// The square root of x*x + y*y.
inline double modulus(double x, double y) {
  const double largest = std::max(std::abs(x), std::abs(y));
  // Scales numbers whose squares would overflow, or lose digits to underflow.
  const double scale = largest > 0x1p500 ? 0x1p-600 : largest < 0x1p-450 ? 0x1p600 : 1;
  x *= scale;
  y *= scale;
  return std::sqrt(x * x + y * y) / scale;
}

// The deviation in units of 1/scale.
template <class T>
Deviation<double> deviation_of(T a, T e, double scale = 1) {
  const double expected = to_double(e) * scale;
  return {std::abs(to_double(a) * scale - expected), std::abs(expected)};
}

template <class T>
Deviation<double> deviation_of(std::complex<T> a, std::complex<T> e, double scale = 1) {
  const Deviation<double> re = deviation_of(a.real(), e.real(), scale);
  const Deviation<double> im = deviation_of(a.imag(), e.imag(), scale);
  return {modulus(re.distance, im.distance), modulus(re.magnitude, im.magnitude)};
}

// Replaces two parts that are the same infinity or NaN by two zeros.
template <class T>
void drop_same(T& a, T& e) {
  const double wide_a = to_double(a);
  const double wide_e = to_double(e);
  const bool same_infinity = std::isinf(wide_a) && wide_a == wide_e;
  if (same_infinity || (std::isnan(wide_a) && std::isnan(wide_e))) a = e = T{};
}
template <class T>
void drop_same(std::complex<T>& a, std::complex<T>& e) {
  T parts[] = {a.real(), a.imag(), e.real(), e.imag()};
  drop_same(parts[0], parts[2]);
  drop_same(parts[1], parts[3]);
  a = {parts[0], parts[1]};
  e = {parts[2], parts[3]};
}

template <class T>
bool is_finite(T value) {
  return std::isfinite(to_double(value));
}
template <class T>
bool is_finite(std::complex<T> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

template <class T>
bool is_nan(T value) {
  return std::isnan(to_double(value));
}
template <class T>
bool is_nan(std::complex<T> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

template <class T>
std::uint64_t ulp_of(T a, T e) {
  if constexpr (Complex<T>) {
    return 0;
  } else {
    return ulp_distance(a, e);
  }
}

template <class T>
bool is_equal(T a, T e) {
  if constexpr (Complex<T>) {
    return a == e;
  } else {
    return to_double(a) == to_double(e);
  }
}

inline bool is_in_range(const Deviation<double>& deviation) {
  return deviation.distance + deviation.magnitude < std::numeric_limits<double>::infinity();
}

// Compares elements that have an infinity or NaN, or whose deviation is infinite.
template <class T, class Recorder>
[[gnu::noinline]] void compare_irregular(T a, T e, std::int64_t at, Recorder& recorder) {
  // A NaN on only one side differs in any case.
  if (recorder.nan_unequal() && is_nan(a)) return recorder.fail_unfixable(at);
  const bool same_bits = has_same_bits(a, e);
  drop_same(a, e);
  if (is_equal(a, e)) return recorder.pass_but_for_bits(same_bits, at);
  if (!is_finite(a) || !is_finite(e)) return recorder.fail_unfixable(at);
  Deviation<double> deviation = deviation_of(a, e);
  const double unit = is_in_range(deviation) ? 1 : 4;
  if (unit != 1) deviation = deviation_of(a, e, 1 / unit);
  recorder.measure(deviation, ulp_of(a, e), at, unit);
}

// Compares floats and complex numbers.
template <class T, class Recorder>
void compare_block(StoredElements<T> actual, StoredElements<T> expected, std::int64_t first,
                   std::int64_t count, Recorder& recorder) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T a = actual[i];
    const T e = expected[i];
    const bool same_bits = has_same_bits(a, e);
    if ((same_bits && !recorder.nan_unequal()) || recorder.leaves_out(first + i)) continue;
    if (!same_bits) recorder.add_other_bits();
    if (is_equal(a, e)) {
      recorder.pass_but_for_bits(same_bits, first + i);
      continue;
    }
    const Deviation<double> deviation = deviation_of(a, e);
    if (is_in_range(deviation)) [[likely]] {
      recorder.measure(deviation, ulp_of(a, e), first + i);
    } else {
      compare_irregular(a, e, first + i, recorder);
    }
  }
}

template <std::integral T>
T integer_of(T value) {
  return value;
}
template <SmallInteger T>
auto integer_of(T value) {
  return to_integer(value);
}

template <class T, class Recorder>
requires std::integral<T> || SmallInteger<T>
void compare_block(StoredElements<T> actual, StoredElements<T> expected, std::int64_t first,
                   std::int64_t count, Recorder& recorder) {
  using Unsigned = std::make_unsigned_t<decltype(integer_of(T{}))>;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto a = integer_of(actual[i]);
    const auto e = integer_of(expected[i]);
    if (a == e || recorder.leaves_out(first + i)) continue;
    recorder.add_other_bits();
    // Differences and negation are exact in the unsigned type of the same width.
    const auto a_bits = static_cast<Unsigned>(a);
    const auto e_bits = static_cast<Unsigned>(e);
    const std::uint64_t distance = static_cast<Unsigned>(a > e ? a_bits - e_bits : e_bits - a_bits);
    const std::uint64_t magnitude = static_cast<Unsigned>(e < 0 ? 0 - e_bits : e_bits);
    recorder.measure(Deviation<std::uint64_t>{distance, magnitude}, distance, first + i);
  }
}

inline bool has_same_bytes(Bool a, Bool e) {
  return a.byte == e.byte;
}
inline bool has_same_bytes(StringRef a, StringRef e) {
  return a.view() == e.view();
}
inline bool is_same_truth(Bool a, Bool e) {
  return static_cast<bool>(a) == static_cast<bool>(e);
}
inline bool is_same_truth(StringRef /*a*/, StringRef /*e*/) {
  return false;
}

template <class T, class Recorder>
requires(std::is_same_v<T, Bool> ||
         std::is_same_v<T, StringRef>) void compare_block(StoredElements<T> actual,
                                                          StoredElements<T> expected, std::int64_t first,
                                                          std::int64_t count, Recorder& recorder) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (has_same_bytes(actual[i], expected[i]) || recorder.leaves_out(first + i)) continue;
    recorder.add_other_bits();
    is_same_truth(actual[i], expected[i]) ? recorder.pass_but_for_bits(false, first + i)
                                          : recorder.fail(first + i);
  }
}

// Whether elements may differ although their bytes are the same: strings are pointers, and a NaN may be
// unequal to itself.
inline bool may_differ_in_same_bytes(DType dtype, const ElementTolerance& tolerance) {
  return dtype == DType::string || (tolerance.nan_unequal && !kExactTypes.contains(dtype));
}

}  // namespace tensorop::walk
