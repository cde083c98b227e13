// What a gather or a scatter moves, as data: for choosing a schedule (choose.hpp), and for those that compute
// the whole result instead of ranges: tiles (columns.hpp), windows (windows.hpp), ranks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.hpp"

namespace tensorop {

class RowMap;
class RowUpdates;

// Row i of the index tuples goes from the row of the indexed tensor that the map says to row i of the
// result (gather), or from row i of the updates to that row (scatter). Valid as long as the plan that it is
// of.
struct RowMoves {
  const RowMap* map;
  DType dtype;
  std::int64_t row_elements;
  std::int64_t row_bytes;  // at least 1
  const std::byte* data;   // the indexed tensor: that of a scatter is what its result begins with
  std::int64_t data_rows;  // at least 1
  // Gather: the element that rows have which no index selects; null: zeros.
  const std::byte* fill = nullptr;
  // Scatter only. `updates` has a row for each row of the map; null where row_updates repeats them.
  const RowUpdates* row_updates = nullptr;
  const std::byte* updates = nullptr;

  [[nodiscard]] std::int64_t data_bytes() const { return data_rows * row_bytes; }
  [[nodiscard]] bool is_scatter() const { return row_updates != nullptr; }
};

}  // namespace tensorop
