// What the elements of a tensor are like: their range, mean and distribution, and how many are special.
//
// Elements are read once. They are taken in blocks of a fixed number, whose statistics are merged in their
// order: the result does not depend on threads. Sums are float64; squares are of differences to a value of
// the block. bool counts as 0 and 1, a string as the number of its bytes, a complex element as two, its
// parts.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "base/threads.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// How many finite elements lie in each of at most kBins intervals. The width is the least power of two for
// which they are enough, but not so small that int32 could not number them, and their borders are its
// multiples: so the bins of a part of the elements are unions of bins of the whole.
struct Histogram {
  static constexpr int kBins = 32;

  int exponent = 0;        // a bin is 2^exponent wide
  std::int64_t first = 0;  // bin i has the elements from (first + i) * 2^exponent to below the next bin
  std::array<std::int64_t, kBins> counts{};

  // The same in bins of 2^wider.
  [[nodiscard]] Histogram widened(int wider) const;
};

struct Statistics {
  std::int64_t elements = 0;
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
  std::int64_t zeros = 0;  // of either sign
  std::int64_t negative_zeros = 0;
  std::int64_t subnormal = 0;  // of their dtype

  // Of the finite elements, if there are some.
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  // The same of int64, exact; of uint64 less 2^63.
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  double total = 0;
  double centre = 0;   // about the mean
  double squares = 0;  // the sum of the squared differences to it; NaN where float64 does not hold it
  Histogram histogram;
  std::int64_t histogram_step = 1;  // it has one in so many elements, evenly chosen

  [[nodiscard]] std::int64_t finite() const { return elements - nan - infinite; }
  // Of the finite elements, if there are some; NaN where their sum is none of float64.
  [[nodiscard]] double mean() const;
  // That of the elements, not of a sample: the root of squares / finite().
  [[nodiscard]] double standard_deviation() const;
  // Adds those of the elements that come next.
  void merge(const Statistics& next);
};

// Measures all elements of a tensor.
[[nodiscard]] Statistics measure_elements(const Tensor& tensor, const Threads& threads);

}  // namespace tensorop
