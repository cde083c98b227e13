// The rows that a gather or scatter moves, as data: for choosing a schedule (choose.hpp), and for code that
// computes the whole result instead of ranges: tiles (columns.hpp), windows (windows.hpp), ranks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.hpp"

namespace tensorop {

class RowMap;
class RowUpdates;

// The map gives a row of the indexed tensor for each row i of the index tuples. A gather moves that row to
// row i of the result; a scatter moves row i of the updates to that row. Valid as long as its plan.
struct RowMoves {
  const RowMap* map;
  DType dtype;
  std::int64_t row_elements;
  std::int64_t row_bytes;  // at least 1
  const std::byte* data;   // the indexed tensor; a scatter's result starts as a copy of it
  std::int64_t data_rows;  // at least 1
  // Gather: the element of rows that no index selects; null: zeros.
  const std::byte* fill = nullptr;
  // Scatter only. `updates` has a row for each row of the map; null if row_updates repeats them.
  const RowUpdates* row_updates = nullptr;
  const std::byte* updates = nullptr;

  [[nodiscard]] std::int64_t data_bytes() const { return data_rows * row_bytes; }
  [[nodiscard]] bool is_scatter() const { return row_updates != nullptr; }
};

}  // namespace tensorop
