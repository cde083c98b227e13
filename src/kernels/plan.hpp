// A plan: how a result is computed, as one of a few kernels with its parameters. A plan identifies operands
// by number; names, files, chunks and threads are not part of it. Executors (engine/execute.hpp) choose which
// ranges are computed, where and when. They may also compute the whole result of a gather or scatter of rows
// without the plan, from the rows that move (row_moves.hpp).
//
// The kernels: gather_rows.hpp, scatter_rows.hpp, element_plans.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/process/threads.hpp"
#include "kernels/fault.hpp"
#include "kernels/range.hpp"

namespace tensorop {

struct Decision;
struct RowMoves;

// The reason why a specification leaves elements of a result open: it does not define their value. Another
// program that follows the specification may have another value there.
enum class OpenReason : std::uint8_t {
  none,
  duplicate_updates,  // several updates replace the same element, in an order that is not specified
  nan_in_extreme,     // a minimum or maximum with a NaN operand
  zeros_in_extreme,   // a minimum or maximum that is a zero, if the operands have zeros of both signs
  nan_or_zeros,       // nan_in_extreme and zeros_in_extreme
  zero_divisor,       // a float is divided by zero
  wide_shift,         // a shift by at least the width of the dtype
  wide_or_overflow,   // wide_shift, and a signed left shift whose result does not fit in the dtype
};

// How float16 and bfloat16 elements are rounded while several updates are combined.
enum class Rounding : std::uint8_t {
  each_step,  // to the dtype, after every update
  once,       // in a float32 accumulator; only the result is rounded
  // As `once`, but a mean is the rounded sum divided by the count, rounded again; the sum for a mean of
  // integers wraps instead of being exact. (PyTorch)
  sum_and_mean,
};

// The facts of a plan that follow from shapes and dtypes alone.
struct PlanFacts {
  // Number of positions at which a fault is possible: index tuples for the gather and scatter families,
  // elements of the result for all other operators. 0: nothing can fail.
  std::int64_t check_size = 0;
  // Whether prepare() and fill() of the whole result meet every fault that check() would find.
  bool fill_checks = true;
  // Whether duplicates are an error: require_no_duplicates() (windows/duplicates.hpp) finds them.
  bool refuses_duplicates = false;
  // The reason why elements of the result may be open; none: no element is open.
  OpenReason open_reason = OpenReason::none;
  // The rounding of a reduction of float16 or bfloat16; nothing for all other plans.
  std::optional<Rounding> rounding = std::nullopt;
  // The rows that a gather or scatter of rows moves; null for other plans, and if no row moves.
  const RowMoves* moves = nullptr;
};

// Making a plan is cheap: it reads no element, so the operands need not have any (--dry-run). Only prepare(),
// fill(), check(), mark_open() and mark_rounded() read elements. They read and check every index each time: a
// file that changes in between cannot cause an access out of bounds.
//
// String results may point into the operands' arenas, which must outlive the result.
class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  virtual ~Plan() = default;

  // The facts never change.
  [[nodiscard]] const PlanFacts& facts() const { return facts_; }

  // Does the work that the elements `range` share, as `decision` (rows/choose.hpp) asks for: decodes and
  // sorts indices. To be called once, before fill(), which is slower for elements outside of `range`. Throws
  // PlanFault for the lowest bad index that it meets.
  virtual void prepare(Range /*range*/, const Decision& /*decision*/, const Threads& /*threads*/) {}

  // Writes the elements `range` of the result to `out`, which is aligned to 64 bytes. Works for any range, in
  // any order, on any thread and with any decision. Throws PlanFault for the lowest fault that it meets.
  virtual void fill(Range range, std::byte* out) const = 0;

  // Checks the positions `range` of PlanFacts::check_size and writes nothing. Works for any range, in any
  // order, on any thread. Throws PlanFault for the lowest bad position.
  virtual void check(Range /*range*/) const {}

  // Sets bit i % 64 of bits[i / 64] if element range.first + i is open, and leaves the other bits. Works for
  // any range, on any thread, after prepare() and check() for all elements.
  virtual void mark_open(Range /*range*/, std::uint64_t* /*bits*/) const {}
  // Whether marking any range takes as long as looking through all updates.
  [[nodiscard]] virtual bool marks_from_all() const { return false; }

  // The next three are for plans without moving rows.
  //
  // Returns the position of the operand's element that element `position` of the result is computed from;
  // nothing if there is none.
  [[nodiscard]] virtual std::optional<std::int64_t> origin(std::size_t /*operand*/,
                                                           std::int64_t /*position*/) const {
    return std::nullopt;
  }
  // Whether the value of that element matters: a condition selects one of two operands.
  [[nodiscard]] virtual bool uses(std::size_t /*operand*/, std::int64_t /*position*/) const { return true; }
  // Calls take(position) for the elements of a result of `size` elements that an operand's element is used
  // for.
  virtual void arrivals(std::size_t operand, std::int64_t element, std::int64_t size,
                        const std::function<void(std::int64_t position)>& take) const {
    for (std::int64_t position = 0; position < size; ++position)
      if (origin(operand, position) == element && uses(operand, position)) take(position);
  }

  // Marks elements of the range that have more than kFewUpdates updates and whose value would differ if their
  // reduction were rounded once. Only for plans whose PlanFacts::rounding is each_step.
  static constexpr std::int64_t kFewUpdates = 16;
  virtual void mark_rounded(Range /*range*/, std::uint64_t* /*bits*/) const {}

 protected:
  void set_facts(const PlanFacts& facts) { facts_ = facts; }

 private:
  PlanFacts facts_;
};

}  // namespace tensorop
