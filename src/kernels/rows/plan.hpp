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

}  // namespace tensorop
