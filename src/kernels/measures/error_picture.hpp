// All errors of a comparison at once: sums for metrics, histograms, and a grid of the tensor. One pass over
// both tensors; a fixed amount of memory for each thread, whatever the shape.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/threads.hpp"
#include "kernels/measures/difference.hpp"
#include "kernels/measures/log_histogram.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// In float64, of the elements that are compared and not unfixable: an infinity or NaN that both tensors have
// is an error of 0 there, and counts as 0. Of complex elements both parts count, and only the moduli in the
// range.
struct ErrorSums {
  std::int64_t count = 0;
  double error2 = 0;   // squares of errors
  double actual2 = 0;  // squares of the elements
  double expected2 = 0;
  double product = 0;  // of the elements
  // Whether some were so small that their squares are not numbers of float64, or lose digits.
  bool has_tiny_errors = false;
  bool has_tiny_elements = false;
  static constexpr double kTiny = 0x1p-500;
  double lowest = std::numeric_limits<double>::infinity();  // of the expected elements
  double highest = -std::numeric_limits<double>::infinity();

  void add(const ErrorSums& next);
};

// A tensor as rows of its last axis, in cells of as many elements each.
struct ErrorGrid {
  static constexpr std::int64_t kMostCells = 512;  // along either side

  std::int64_t rows = 1;       // of the tensor: the product of all axes but the last
  std::int64_t columns = 1;    // the size of the last axis
  std::int64_t cell_rows = 1;  // of a cell
  std::int64_t cell_columns = 1;
  std::int64_t down = 1;  // cells
  std::int64_t across = 1;
  std::vector<std::int64_t> differing;  // elements that do not pass, of each cell
  std::vector<double> largest;          // absolute error of each cell; infinity for unfixable elements
};

struct ErrorPicture {
  ErrorSums sums;                     // numeric dtypes
  std::int64_t without_relative = 0;  // elements with an error, of which the expected one is 0
  LogHistogram absolute;              // errors above 0
  LogHistogram relative;
  LogHistogram ulp;
  ErrorGrid grid;  // empty for a tensor without elements
};

// `rtol` and so on decide what a cell counts as differing. Sums are made in blocks of fixed elements, in
// their order: nothing depends on the number of threads.
[[nodiscard]] ErrorPicture picture_errors(const Tensor& actual, const Tensor& expected,
                                          const ElementTolerance& tolerance, const Tensor* left_out,
                                          const Threads& threads);

}  // namespace tensorop
