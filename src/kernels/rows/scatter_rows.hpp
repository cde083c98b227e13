// The plan of the scatter family: a copy of data, with rows of updates written where index tuples select.
// Operands: 0 data, 1 indices, 2 updates. Source: sections 1.4, 4 and 4.2 of the specification (G-4).
#pragma once

#include <memory>
#include <optional>

#include "kernels/elements/walk.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/plan.hpp"
#include "kernels/rows/combine.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct ScatterRowsSpec {
  Tensor data;                            // the indexed tensor, which the result starts from
  Tensor updates;                         // of data's dtype: a row for each index tuple
  IndexDecoder decoder;                   // of the indices
  std::vector<RowDim> dims;               // the order of the rows
  std::int64_t row_elements;              // consecutive elements that are moved together
  Reduction reduction = Reduction::none;  // defined for the dtype
  bool use_init_val = true;  // false: a reduction begins with the first update of a row, not with data
  Rounding rounding = Rounding::each_step;
  bool refuse_duplicates = false;             // prepare() throws duplicate_update for the lowest update
  OpenReason open_reason = OpenReason::none;  // none, duplicate_updates, or nan_in_extreme of floats
  // How updates are repeated to a row for each index tuple; without a shape they have these rows.
  Shape updates_shape = {};
  BroadcastStrides update_strides = {};
};

// The updates of one element are applied in the row-major order of the index tuples, whatever the order of
// the work. Takes 12 bytes for each update where they are sorted; for mean and use_init_val = false, up to 40
// more for those of a range; for sums in float32 twice the bytes of a range. Repeated updates take no more: a
// few of their rows are made at a time.
[[nodiscard]] std::unique_ptr<Plan> scatter_plan(ScatterRowsSpec spec);

}  // namespace tensorop
