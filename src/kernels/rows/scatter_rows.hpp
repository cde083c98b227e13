// The plan of the scatter family: a copy of data, with rows of updates written where index tuples select.
// Operands: 0 data, 1 indices, 2 updates. Source: docs/ops/scatter.md.
#pragma once

#include <memory>
#include <optional>

#include "kernels/elements/iterator.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/plan.hpp"
#include "kernels/rows/reduce.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct ScatterRowsSpec {
  Tensor data;                            // the indexed tensor, which the result starts from
  Tensor updates;                         // of data's dtype: a row for each index tuple
  IndexDecoder decoder;                   // decodes the indices
  std::vector<RowDim> dims;               // the order of the rows
  std::int64_t row_elements;              // consecutive elements that are moved together
  Reduction reduction = Reduction::none;  // defined for the dtype
  bool use_init_val = true;  // false: a reduction begins with the first update of a row, not with data
  Rounding rounding = Rounding::each_step;
  bool refuse_duplicates = false;             // RowMoves::refuses_duplicates
  OpenReason open_reason = OpenReason::none;  // none, duplicate_updates, or nan_in_extreme of floats
  // The shape to which updates are repeated, with a row for each index tuple; empty: they have these rows.
  Shape updates_shape = {};
  BroadcastStrides update_strides = {};
};

// The updates of an element are applied in the row-major order of the index tuples, whatever the order of the
// work. Sorting takes 12 bytes for each update; mean and use_init_val = false take up to 40 more for each
// update of a range; sums in float32 take twice the bytes of a range. Repeated updates take no more memory:
// only a few of their rows are generated at a time.
[[nodiscard]] Plan scatter_plan(ScatterRowsSpec spec);

}  // namespace tensorop
