#include "kernels/rows/segments.hpp"

#include <algorithm>

namespace tensorop {

std::vector<Segment> segments_of(Range range, std::int64_t row_elements) {
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
