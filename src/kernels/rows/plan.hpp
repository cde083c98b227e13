// A plan: how a result is computed, as data, of two kinds: elements that are computed in place
// (element_plans.hpp), or rows that move (row_moves.hpp). A plan identifies operands by number; names, files
// and threads are not part of it. Executors (engine/execute.hpp) decide which schedule computes the result.
#pragma once

#include <memory>
#include <utility>

#include "kernels/elements/element_plans.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// Making a plan is cheap: it reads no element, so the operands need not have any (--dry-run). All that reads
// elements reads and checks every index each time: a file that changes in between cannot cause an access out
// of bounds. String results may point into the operands' arenas, which must outlive the result.
class Plan {
 public:
  Plan() = default;  // of nothing
  Plan(std::unique_ptr<const ElementPlan> elements) : elements_(std::move(elements)) {}
  Plan(RowMoves moves) : moves_(std::make_unique<const RowMoves>(std::move(moves))) {}

  // One of these is null.
  [[nodiscard]] const ElementPlan* elements() const { return elements_.get(); }
  [[nodiscard]] const RowMoves* moves() const { return moves_.get(); }

  // Filling all rows reads all indices.
  [[nodiscard]] PlanFacts facts() const {
    if (elements_) return elements_->facts();
    return {.check_size = moves_->map.decoder().tuples(), .open_reason = moves_->open_reason};
  }

  // Checks the positions `range` of PlanFacts::check_size. Works for any range, in any order, on any thread.
  // Throws PlanFault for the lowest bad position.
  void check(Range range) const { elements_ ? elements_->check(range) : moves_->map.decoder().check(range); }

 private:
  std::unique_ptr<const ElementPlan> elements_;
  std::unique_ptr<const RowMoves> moves_;
};

// The rows of data in the order of the index tuples: row i of the result is the row of data at the i-th
// offset, or consists of `fill` or zeros for kSkip. The plan also checks indices that no element of the
// result depends on. `dims` is the order of the rows, ignored if data has no elements; `row_elements`
// consecutive elements are moved together. Operands: 0 data, 1 indices. Source: docs/ops/gather.md.
[[nodiscard]] Plan gather_plan(const Tensor& data, const IndexDecoder& decoder,
                               const std::vector<RowDim>& dims, std::int64_t row_elements,
                               const std::optional<Tensor>& fill = std::nullopt);

// A copy of data, with rows of updates written where index tuples select. Operands: 0 data, 1 indices, 2
// updates. Source: docs/ops/scatter.md.
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
