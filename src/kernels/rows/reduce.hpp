// Reduces an update into its target row, or replaces the row, by dtype and reduction. Source:
// docs/ops/scatter.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/dtype.hpp"

namespace tensorop {

enum class Reduction : std::uint8_t { none, add, sub, mul, min, max, mean, and_bits, or_bits, xor_bits };

// How float16 and bfloat16 elements are rounded while several updates are reduced.
enum class Rounding : std::uint8_t {
  each_step,  // to the dtype, after every update
  once,       // in a float32 accumulator; only the result is rounded
  // As `once`, but a mean is the rounded sum divided by the count, rounded again; the sum for a mean of
  // integers wraps instead of being exact. (PyTorch)
  sum_and_mean,
};

// Whether the reduction accumulates elements of the dtype in float32.
[[nodiscard]] bool accumulates_wide(Reduction reduction, DType dtype, Rounding rounding);

// Whether the reduction is defined for elements of `dtype`; if not, rule T-3 or, for small dtypes, T-1.
[[nodiscard]] bool is_defined(Reduction reduction, DType dtype);

// A row of updates and the row of the target it goes to.
struct Move {
  std::int64_t target;  // row of the target
  std::int64_t update;  // row of the updates
};

// Rows of both sides, and the part of each row to work on.
struct MoveTarget {
  std::byte* target;          // the first element to work on, in target row 0
  const std::byte* updates;   // the same element of update row 0
  std::int64_t row_elements;  // elements from one row of the target to the next
  std::int64_t columns;       // number of elements of each row to work on
  std::int64_t update_step;   // elements from one update row to the next; 0: all rows are the same
};

// Applies moves in their order.
using ReduceLoop = void (*)(const MoveTarget& rows, const Move* moves, std::int64_t count);

// The loop for a dtype and a reduction other than mean; null if the reduction is not defined.
[[nodiscard]] ReduceLoop reduce_loop(Reduction reduction, DType dtype);

// Reduces all `count` updates of one target row, and its old value if `use_init_val`.
using Fold = void (*)(const MoveTarget& rows, const Move* moves, std::int64_t count, bool use_init_val);
// The loop for a mean, or for a reduction that accumulates_wide(); null for all others, and if the reduction
// is not defined.
[[nodiscard]] Fold fold_loop(Reduction reduction, DType dtype, Rounding rounding);

// Float32 accumulators of target rows, for blocks of moves.
struct WideRows {
  std::byte* target;          // as in MoveTarget
  std::int64_t row_elements;  // from one row to the next, of the target and of the accumulators
  std::int64_t columns;
  std::unique_ptr<float[]> accumulators = {};  // of the rows that have begun
  std::vector<std::uint64_t> begun = {};       // a bit for each row
};

// Operations on WideRows, for a dtype and a reduction other than mean that accumulates_wide().
struct WideLoops {
  // Copies the values of the moves' target rows to their accumulators, once for each row.
  void (*begin)(WideRows& rows, const Move* moves, std::int64_t count) = nullptr;
  ReduceLoop reduce = nullptr;  // `target` points to the accumulators
  // Rounds the accumulators into their rows.
  void (*end)(const WideRows& rows) = nullptr;
};
// Returns null functions for any other reduction or dtype.
[[nodiscard]] WideLoops wide_loops(Reduction reduction, DType dtype, Rounding rounding);

}  // namespace tensorop
