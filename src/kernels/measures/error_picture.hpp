// All errors of a comparison: sums for metrics, histograms, and a grid of the tensor. Takes one pass over
// both tensors and, for any shape, a fixed amount of memory for each thread.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/process/threads.hpp"
#include "kernels/measures/difference.hpp"
#include "kernels/measures/log_histogram.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Sums in float64 over the compared elements that are not unfixable. An infinity or NaN that both tensors
// have has the error 0, and the element counts as 0. Both parts of a complex element count; the range
// (lowest, highest) is the range of the moduli.
struct ErrorSums {
  std::int64_t count = 0;
  double error2 = 0;   // squares of errors
  double actual2 = 0;  // squares of the actual elements
  double expected2 = 0;
  double product = 0;  // products of the actual and the expected element
  // Whether errors, or elements, are so small that their squares underflow in float64, or lose digits.
  bool has_tiny_errors = false;
  bool has_tiny_elements = false;
  static constexpr double kTiny = 0x1p-500;
  double lowest = std::numeric_limits<double>::infinity();  // of the expected elements
  double highest = -std::numeric_limits<double>::infinity();

  void add(const ErrorSums& next);
};

// A tensor as rows of its last axis, divided into cells of equal size.
struct ErrorGrid {
  static constexpr std::int64_t kMostCells = 512;  // in either direction

  std::int64_t rows = 1;       // rows of the tensor: the product of all axes but the last
  std::int64_t columns = 1;    // the size of the last axis
  std::int64_t cell_rows = 1;  // rows of a cell
  std::int64_t cell_columns = 1;
  std::int64_t down = 1;  // number of cells in this direction
  std::int64_t across = 1;
  std::vector<std::int64_t> differing;  // elements of each cell that do not pass
  std::vector<double> largest;          // absolute error of each cell; infinity for unfixable elements
};

struct ErrorPicture {
  ErrorSums sums;                     // numeric dtypes
  std::int64_t without_relative = 0;  // elements with an error whose expected element is 0
  LogHistogram absolute;              // errors above 0
  LogHistogram relative;
  LogHistogram ulp;
  ErrorGrid grid;  // empty if the tensor has no elements
};

// The tolerance decides which elements count as differing in a cell. Blocks of fixed size are summed in
// order, so the sums do not depend on the number of threads.
[[nodiscard]] ErrorPicture picture_errors(const Tensor& actual, const Tensor& expected,
                                          const ElementTolerance& tolerance, const Tensor* left_out,
                                          const Threads& threads);

}  // namespace tensorop
