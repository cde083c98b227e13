// A plan: how a result is computed, as one of a few kernels with its parameters. A plan knows operands by
// their number and positions in them; it knows nothing of names, files, chunks or threads. Executors
// (engine/execute.hpp) choose which ranges are computed where, and when.
//
// The kernels: gather_rows.hpp, scatter_rows.hpp, repeat_elements.hpp, combine_elements.hpp,
// select_elements.hpp, copy_elements.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/threads.hpp"
#include "kernels/fault.hpp"
#include "kernels/range.hpp"
#include "kernels/row_moves.hpp"
#include "kernels/windows.hpp"

namespace tensorop {

// The element of an operand at a flat, row-major position.
struct OperandElement {
  std::size_t operand = 0;
  std::int64_t position = 0;
  friend bool operator==(const OperandElement&, const OperandElement&) = default;
};

// What an element of the result is made from, in the order in which it is combined. One element: it is
// copied. None: the result is zero, because the index is out of range and out of range reads as zero. What
// only selects (indices, conditions) is not listed.
using Origin = std::vector<OperandElement>;

// Elements of an operand that computing a range may read: the least range known without reading any element.
struct Extent {
  std::size_t operand = 0;
  Range elements;
};
using Footprint = std::vector<Extent>;

// Why a specification leaves elements of a result open: it does not say which value they have. Another
// program that follows it may have another value there.
enum class OpenReason : std::uint8_t {
  none,
  duplicate_updates,  // several updates replace the same element, in an order that is not specified
  nan_in_extreme,     // a minimum or maximum of operands one of which is NaN
  zero_divisor,       // a float is divided by zero
  wide_shift,         // a shift by at least the width of the dtype
};

// Making a plan is cheap: it reads no element of any operand, so that a plan can be made of operands that
// have none (--dry-run). Only prepare(), fill(), check(), origin(), mark_open() and fill_part() read
// elements. They read and check every index each time: a file that changes in between cannot lead out of
// bounds.
//
// String results may point into the operands' arenas, which must outlive the result.
class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  virtual ~Plan() = default;

  // The work that the elements `range` of the result share: decoding and sorting indices. To be called once,
  // before fill(), fill_part() and origin(), which take longer for other elements. Throws PlanFault for the
  // lowest bad index that it meets.
  virtual void prepare(Range /*range*/, const Threads& /*threads*/) {}

  // Writes the elements `range` of the result to `out`, which is aligned to 64 bytes. Any range, any order,
  // any thread. Throws PlanFault for the lowest position that it meets.
  virtual void fill(Range range, std::byte* out) const = 0;

  // What can fail is checked at this many positions: index tuples for the gather and scatter families,
  // elements of the result for the others. 0: nothing can fail.
  [[nodiscard]] virtual std::int64_t check_size() const { return 0; }
  // Checks these positions and writes nothing. Any range, any order, any thread. Throws PlanFault for the
  // lowest bad one.
  virtual void check(Range /*range*/) const {}
  // Whether prepare() and filling the whole result meet every fault that check() would find.
  [[nodiscard]] virtual bool fill_checks() const { return check_size() == 0; }

  [[nodiscard]] virtual Origin origin(std::int64_t element) const = 0;
  [[nodiscard]] virtual Footprint footprint(Range range) const = 0;

  // Why elements of the result may be open; none: no element is.
  [[nodiscard]] virtual OpenReason open_reason() const { return OpenReason::none; }
  // Sets bit i % 64 of bits[i / 64] where the element range.first + i is open; leaves the other bits. Any
  // range, any thread, after prepare() and check() of everything.
  virtual void mark_open(Range /*range*/, std::uint64_t* /*bits*/) const {}

  // The rows that a gather or a scatter of rows moves; nothing of all other plans, and of those that move
  // none.
  [[nodiscard]] virtual std::optional<RowMoves> row_moves() const { return std::nullopt; }

  // Whether the result is computed much faster as a whole in memory, in a few parts, than range by range
  // (strategy.hpp says when). fill() works for such a plan too.
  [[nodiscard]] virtual bool prefers_whole() const { return false; }
  // What `whole` must hold before the first fill_part(): a copy of these bytes; null: anything.
  [[nodiscard]] virtual const std::byte* base() const { return nullptr; }
  // Computes part `part` of `parts` of the result `whole`. No two parts write the same element, and the
  // result does not depend on `parts`. Only where prefers_whole(), and after check() of everything.
  virtual void fill_part(std::byte* /*whole*/, std::int64_t /*part*/, std::int64_t /*parts*/) const {}

  // What is read or written at random, from sizes alone; nothing where all of it is read and written from
  // front to end, as far as a file system that reads ahead is concerned.
  [[nodiscard]] virtual std::optional<RandomAccess> random_access() const { return std::nullopt; }
  // How that is to be read: before prepare(). Only where random_access() has a value; else it is plain.
  virtual void set_access(Access /*access*/) {}
  // The windows that fill_windows() makes with so much memory, where `anywhere` as in Windowing.
  [[nodiscard]] virtual WindowPlan plan_windows(std::int64_t /*memory*/, bool /*anywhere*/) const {
    return {};
  }
  // Writes the whole result, on all threads. After set_access(windows) and prepare(). Throws PlanFault if
  // check() of everything would, but not always for the lowest position. Of kind columns only where
  // `anywhere`.
  virtual void fill_windows(const Windowing& /*windowing*/, const Threads& /*threads*/) const {}
};

}  // namespace tensorop
