// Statistics of a tensor's elements: their range, mean and distribution, and the number of special values.
//
// Elements are read once, in blocks of a fixed size whose statistics are merged in order, so the result does
// not depend on threads. Sums are float64; squares are of differences from a value of the block. bool counts
// as 0 and 1, a string as its length in bytes, and a complex element as two numbers, its parts.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "base/process/threads.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The number of finite elements in each of at most kBins intervals. Their width is the least power of two
// that is sufficient, but large enough that int32 can number them, and their borders are multiples of it. So
// the bins of a part of the elements are unions of bins of the whole.
struct Histogram {
  static constexpr int kBins = 32;

  int exponent = 0;        // a bin is 2^exponent wide
  std::int64_t first = 0;  // bin i has the elements from (first + i) * 2^exponent to below the next bin
  std::array<std::int64_t, kBins> counts{};

  // The same counts in bins of width 2^wider.
  [[nodiscard]] Histogram widened(int wider) const;
};

struct Statistics {
  std::int64_t elements = 0;
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
  std::int64_t zeros = 0;  // of either sign
  std::int64_t negative_zeros = 0;
  std::int64_t subnormal = 0;  // of the elements' dtype

  // The range of the finite elements, if there are any.
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  // The same range, exact, for int64; for uint64 less 2^63.
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  double total = 0;
  double centre = 0;   // approximately the mean
  double squares = 0;  // the sum of the squared differences from `centre`; NaN if float64 cannot hold it
  Histogram histogram;
  std::int64_t histogram_step = 1;  // the histogram counts one group of elements in this many

  [[nodiscard]] std::int64_t finite() const { return elements - nan - infinite; }
  // The mean of the finite elements, if there are any; NaN if their sum is NaN.
  [[nodiscard]] double mean() const;
  // The standard deviation of a population, not of a sample: the root of squares / finite().
  [[nodiscard]] double standard_deviation() const;
  // Adds the statistics of the next elements.
  void merge(const Statistics& next);
};

// Measures all elements of a tensor.
[[nodiscard]] Statistics measure_elements(const Tensor& tensor, const Threads& threads);

}  // namespace tensorop
