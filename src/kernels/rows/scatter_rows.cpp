#include "kernels/rows/scatter_rows.hpp"

#include <utility>

#include "kernels/rows/gather_rows.hpp"
#include "kernels/rows/row_updates.hpp"

namespace tensorop {

Plan scatter_plan(ScatterRowsSpec spec) {
  if (spec.data.size() == 0 || spec.updates.size() == 0) return checked_copy_plan(spec.data, spec.decoder);
  const bool rounds = accumulates_wide(spec.reduction, spec.data.dtype(), Rounding::once);
  auto updates = std::make_shared<const RowUpdates>(spec);
  return RowMoves{.map = RowMap(std::move(spec.decoder), spec.dims),
                  .data = std::move(spec.data),
                  .row_elements = spec.row_elements,
                  .row_updates = std::move(updates),
                  .refuses_duplicates = spec.refuse_duplicates,
                  .open_reason = spec.open_reason,
                  .rounding = rounds ? std::optional(spec.rounding) : std::nullopt};
}

}  // namespace tensorop
