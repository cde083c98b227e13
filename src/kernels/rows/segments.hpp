// Splits ranges of elements into rows: a range may begin and end within a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/range.hpp"

namespace tensorop {

// Consecutive rows over the same columns.
struct Segment {
  Range targets;        // the rows
  std::int64_t column;  // the first column
  std::int64_t columns;
  std::int64_t first;  // index within the range of the element in the first row and column
};

// Splits the elements `range` of rows of `row_elements` into at most three segments, in ascending order.
[[nodiscard]] inline std::vector<Segment> segments_of(Range range, std::int64_t row_elements) {
  std::vector<Segment> segments;
  std::int64_t done = 0;
  auto [first, count] = range;
  while (count > 0) {
    const std::int64_t target = first / row_elements;
    const std::int64_t column = first % row_elements;
    const bool whole = column == 0 && count >= row_elements;
    const std::int64_t rows = whole ? count / row_elements : 1;
    const std::int64_t columns = whole ? row_elements : std::min(count, row_elements - column);
    segments.push_back({{target, rows}, column, columns, done});
    first += rows * columns;
    count -= rows * columns;
    done += rows * columns;
  }
  return segments;
}

}  // namespace tensorop
