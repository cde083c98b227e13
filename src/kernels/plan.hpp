// A plan: how a result is computed, as one of a few kernels with its parameters. A plan knows operands by
// their number and positions in them; it knows nothing of names, files, chunks or threads. Executors
// (engine/execute.hpp) choose which ranges are computed where, and when. Of gathers and scatters of rows the
// whole result may be computed without a plan, from the rows that they move (row_moves.hpp).
//
// The kernels: gather_rows.hpp, scatter_rows.hpp, element_plans.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "kernels/fault.hpp"
#include "kernels/range.hpp"
#include "kernels/rows/choose.hpp"
#include "kernels/rows/combine.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

class BroadcastWalk;

// Why a specification leaves elements of a result open: it does not say which value they have. Another
// program that follows it may have another value there.
enum class OpenReason : std::uint8_t {
  none,
  duplicate_updates,  // several updates replace the same element, in an order that is not specified
  nan_in_extreme,     // a minimum or maximum of operands one of which is NaN
  zeros_in_extreme,   // a minimum or maximum that is a zero, of zeros of both signs
  nan_or_zeros,       // both of these
  zero_divisor,       // a float is divided by zero
  wide_shift,         // a shift by at least the width of the dtype
  wide_or_overflow,   // that, and a shift to the left of a signed integer that does not fit in the dtype
};

// What is known of a plan from shapes and dtypes alone.
struct PlanFacts {
  // What can fail is checked at this many positions: index tuples for the gather and scatter families,
  // elements of the result for the others. 0: nothing can fail.
  std::int64_t check_size = 0;
  // Whether preparing the plan and filling the whole result by range meet every fault that check() would
  // find.
  bool fill_checks = true;
  // Whether duplicates are an error: require_no_duplicates() (windows/duplicates.hpp) finds them.
  bool refuses_duplicates = false;
  // Why elements of the result may be open; none: no element is.
  OpenReason open_reason = OpenReason::none;
  // How the elements of a reduction of float16 or bfloat16 are rounded; nothing of all other plans.
  std::optional<Rounding> rounding = std::nullopt;
  // The rows that a gather or a scatter of rows moves; nothing of all other plans, and of those that move
  // none.
  std::optional<RowMoves> moves = std::nullopt;
  // Where the elements of each operand go, of plans that repeat them to the shape of the result; else null.
  const BroadcastWalk* broadcast = nullptr;
};

// Making a plan is cheap: it reads no element of any operand, so that a plan can be made of operands that
// have none (--dry-run). Only prepare(), fill(), check(), mark_open() and mark_rounded() read elements. They
// read and check every index each time: a file that changes in between cannot lead out of bounds.
//
// String results may point into the operands' arenas, which must outlive the result.
class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  virtual ~Plan() = default;

  // The same as long as the plan.
  [[nodiscard]] const PlanFacts& facts() const { return facts_; }

  // The work that the elements `range` of the result share, decoding and sorting indices, where `decision`
  // asks for it. To be called once, before fill(), which takes longer for other elements. Throws PlanFault
  // for the lowest bad index that it meets.
  void prepare(Range range, const Decision& decision, const Threads& threads) {
    decision_ = decision;
    prepare_range(range, threads);
  }
  // That of prepare().
  [[nodiscard]] const Decision& decision() const { return decision_; }

  // Writes the elements `range` of the result to `out`, which is aligned to 64 bytes. Any range, any order,
  // any thread, whatever the decision. Throws PlanFault for the lowest position that it meets.
  virtual void fill(Range range, std::byte* out) const = 0;

  // Checks these of PlanFacts::check_size positions and writes nothing. Any range, any order, any thread.
  // Throws PlanFault for the lowest bad one.
  virtual void check(Range /*range*/) const {}

  // Sets bit i % 64 of bits[i / 64] where the element range.first + i is open; leaves the other bits. Any
  // range, any thread, after prepare() and check() of everything.
  virtual void mark_open(Range /*range*/, std::uint64_t* /*bits*/) const {}

  // Marks elements of the range that have more than kFewUpdates updates and would have another value if their
  // reduction were rounded once. Only for plans whose PlanFacts::rounding is each_step.
  static constexpr std::int64_t kFewUpdates = 16;
  virtual void mark_rounded(Range /*range*/, std::uint64_t* /*bits*/) const {}

 protected:
  void set_facts(PlanFacts facts) { facts_ = std::move(facts); }

 private:
  virtual void prepare_range(Range /*range*/, const Threads& /*threads*/) {}

  PlanFacts facts_;
  Decision decision_;
};

}  // namespace tensorop
