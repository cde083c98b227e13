// The rows that a gather or scatter moves, as data. The schedules compute the result from it, and
// --explain-plan, `why` and the ranks ask it what goes where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "kernels/elements/open_tests.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/reduce.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class RowUpdates;

// The map gives a row of the indexed tensor for each row i of the index tuples. A gather moves that row to
// row i of the result; a scatter moves row i of the updates to that row. Strings of a result may point into
// the operands' arenas.
struct RowMoves {
  RowMap map;
  Tensor data;                // the indexed tensor, which has elements; a scatter's result starts as its copy
  std::int64_t row_elements;  // consecutive elements that are moved together
  // Gather: the element of rows that no index selects; nothing: zeros.
  std::optional<Tensor> fill = std::nullopt;
  // Scatter: a row of updates for each row of the map; whether duplicates are an error, which
  // require_no_duplicates() finds; the reason why elements are open; the rounding, if it makes a difference.
  std::shared_ptr<const RowUpdates> row_updates = nullptr;
  bool refuses_duplicates = false;
  OpenReason open_reason = OpenReason::none;
  std::optional<Rounding> rounding = std::nullopt;

  [[nodiscard]] bool is_scatter() const { return row_updates != nullptr; }
  [[nodiscard]] DType dtype() const { return data.dtype(); }
  [[nodiscard]] std::int64_t row_bytes() const { return row_elements * element_size(dtype()); }
  [[nodiscard]] std::int64_t data_rows() const { return data.size() / row_elements; }
  [[nodiscard]] std::int64_t data_bytes() const { return data.bytes(); }
};

}  // namespace tensorop
