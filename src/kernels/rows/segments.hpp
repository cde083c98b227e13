// Ranges of elements as rows: a range may begin and end within a row.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/range.hpp"

namespace tensorop {

// Rows over the same columns.
struct Segment {
  Range targets;        // the rows
  std::int64_t column;  // the first
  std::int64_t columns;
  std::int64_t first;  // of the elements of the range: that of the first row at the first column
};

// The elements `range` of rows of `row_elements`, in ascending order: at most three segments.
[[nodiscard]] std::vector<Segment> segments_of(Range range, std::int64_t row_elements);

}  // namespace tensorop
