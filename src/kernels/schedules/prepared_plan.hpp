// A plan that is ready to fill ranges of its result: the schedules direct and sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/process/threads.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/plan.hpp"
#include "kernels/schedules/choose.hpp"

namespace tensorop {

class RowUpdates;
struct Segment;

// After preparation all functions work for any range of elements, in any order, on any thread.
class PreparedPlan {
 public:
  // Prepares nothing: the fastest way to a few elements. `plan` outlives this object.
  explicit PreparedPlan(const Plan& plan) : plan_(&plan) {}
  // Does the work that the elements `range` share, as `decision` asks for: decodes and sorts indices.
  // Elements outside of `range` take longer. Throws PlanFault for the lowest bad index that it meets.
  PreparedPlan(const Plan& plan, Range range, const Decision& decision, const Threads& threads);

  [[nodiscard]] const Plan& plan() const { return *plan_; }
  // Plan::moves(), which know the decoded indices.
  [[nodiscard]] const RowMoves* moves() const { return moves_ ? &*moves_ : plan_->moves(); }

  // Writes the elements `range` of the result to `out`, which is aligned to 64 bytes. Throws PlanFault for
  // the lowest fault that it meets.
  void fill(Range range, std::byte* out) const;

  // Sets bit i % 64 of bits[i / 64] if element range.first + i is open, and leaves the other bits. Call
  // Plan::check() for all positions before.
  void mark_open(Range range, std::uint64_t* bits) const;
  // Marks elements of the range that have more than kFewUpdates updates and whose value would differ if their
  // reduction were rounded once. Only if RowMoves::rounding is each_step.
  static constexpr std::int64_t kFewUpdates = 16;
  void mark_rounded(Range range, std::uint64_t* bits) const;
  // Whether marking any range takes as long as looking through all updates.
  [[nodiscard]] bool marks_from_all() const;

 private:
  void fill_scatter(const RowUpdates& updates, Range range, std::byte* out) const;
  template <class UseMoves>
  void visit(Range targets, const UseMoves& use_moves) const;

  const Plan* plan_;
  std::optional<RowMoves> moves_;  // with decoded indices
  Decision decision_ = {};
  std::unique_ptr<Partition> sorted_;
};

}  // namespace tensorop
