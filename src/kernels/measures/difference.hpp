// The distances between the elements of two tensors, and whether they are within a tolerance.
//
// An element passes if it is equal, if |a-e| <= atol + rtol*|e|, or if it is within max_ulp; `e` is the
// expected element. Everything is computed in float64, and differences of integers exactly. -0 equals +0. NaN
// equals NaN whatever its payload. A NaN and a number, or an infinity and anything but itself, pass under no
// tolerance. Complex: |.| is the modulus; a part that is the same infinity or NaN on both sides counts as 0
// in it. bool (any byte but 0 is true) and string are equal or not. No integer is rounded for a bound. Small
// floats are compared as floats, with their own steps in ulp, int4 and uint4 as integers.
//
// The bits of an element are all bits of its bytes; for a small dtype, only the bits that it uses.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "tensor/tensor.hpp"

namespace tensorop {

// How much an element may differ; the default is not at all. rtol and atol are finite and not negative.
struct ElementTolerance {
  double rtol = 0;
  double atol = 0;
  std::optional<std::uint64_t> max_ulp;
  bool nan_unequal = false;  // NaN differs from NaN
  bool exact_bits = false;   // -0 differs from +0, and a NaN from a NaN with another payload or sign

  // Whether max_ulp is the only tolerance: distances are then judged in ulp alone.
  [[nodiscard]] bool is_ulp_only() const { return max_ulp && rtol == 0 && atol == 0; }
};

// The dtypes whose distances are integers.
inline constexpr DTypeSet kExactTypes = kIntegerTypes | kSmallIntegerTypes;
// The dtypes that have a distance in ulp: floats, and integers, whose ulp is 1.
inline constexpr DTypeSet kUlpTypes = kNumericTypes | kSmallTypes;
// The dtypes whose elements can pass within a tolerance without being equal.
inline constexpr DTypeSet kToleranceTypes = kUlpTypes | kComplexTypes;

// The largest value of a measure, and the lowest position (flat, row-major) that has it.
template <class T>
struct Peak {
  T value = 0;
  std::int64_t at = -1;  // -1: no value was above zero

  void raise(T other, std::int64_t position) {
    if (at >= 0 && (other < value || (other == value && position >= at))) return;
    value = other;
    at = position;
  }
  void merge(const Peak& other) {
    if (other.at >= 0) raise(other.value, other.at);
  }
};

// The differences found in a range of positions. merge() may be called in any order.
struct Difference {
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  std::int64_t differing = 0;    // elements that do not pass
  std::int64_t first = -1;       // the lowest position of such an element
  std::int64_t unfixable = 0;    // elements among them that pass under no tolerance
  std::int64_t other_bits = 0;   // elements whose bits differ, whether they pass or not
  std::int64_t only_bits = 0;    // zeros, NaN and bool among them, which are equal without exact_bits
  Peak<double> excess;           // of elements that do not pass: |a-e| - (atol + rtol*|e|); kNone: unfixable
  Peak<std::uint64_t> farthest;  // of elements that do not pass and are not unfixable, in ulp

  // The largest errors of all elements that are numbers on both sides. If the expected number is 0, there is
  // no relative error. An absolute error that float64 cannot hold is kNone.
  Peak<double> absolute;
  Peak<double> relative;
  Peak<std::uint64_t> ulp;  // dtypes of kUlpTypes; for integers the exact absolute error

  // The smallest rtol, with atol unchanged, under which all fixable elements would pass, and the smallest
  // such atol, with rtol unchanged. kNone if there is no such value.
  double needed_rtol = 0;
  double needed_atol = 0;

  // Whether failing elements are ordered by their distance in ulp instead of their excess.
  [[nodiscard]] static bool is_judged_by_ulp(DType dtype, const ElementTolerance& tolerance);
  // The first of the elements that exceed their tolerance most; -1 if all pass, and for bool and string.
  [[nodiscard]] std::int64_t worst(DType dtype, const ElementTolerance& tolerance) const;
  void merge(const Difference& other);
};

namespace walk {
// Whether distance <= atol + rtol * magnitude, without any rounding.
[[nodiscard]] bool is_within_exactly(std::uint64_t distance, std::uint64_t magnitude, double atol,
                                     double rtol);
}  // namespace walk

class DifferingPlaces;

// Compares elements [first, first + count) of two tensors of one dtype and shape. Ignores elements at which
// `left_out`, a bool tensor of the same shape, is true; null: compares all. Adds the elements that do not
// pass to `places`, unless that is null.
[[nodiscard]] Difference compare_elements(const Tensor& actual, const Tensor& expected, std::int64_t first,
                                          std::int64_t count, const ElementTolerance& tolerance,
                                          const Tensor* left_out = nullptr,
                                          DifferingPlaces* places = nullptr);

}  // namespace tensorop
