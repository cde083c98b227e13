// Applies an update to its target row: replaces it or combines with it, by dtype and reduction.
// Source: the specification's order of updates (G-4), its rounding of floats (G-6) and its table of update
// functions (T-3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/dtype.hpp"

namespace tensorop {

enum class Reduction : std::uint8_t { none, add, sub, mul, min, max, mean, and_bits, or_bits, xor_bits };

// How float16 and bfloat16 elements are rounded while several updates are combined (G-6).
enum class Rounding : std::uint8_t {
  each_step,  // to the dtype, after every update
  once,       // the accumulator is a float32, and the result is rounded
  // As `once`; a mean is the rounded sum divided by the count, and rounded. The sum that a mean of integers
  // divides wraps; otherwise it is exact. (PyTorch)
  sum_and_mean,
};

// Whether a reduction of the dtype has a float32 as its accumulator.
[[nodiscard]] bool accumulates_wide(Reduction reduction, DType dtype, Rounding rounding);

// Whether the reduction is defined for elements of `dtype` (4.5); otherwise T-3, of small dtypes T-1.
[[nodiscard]] bool is_defined(Reduction reduction, DType dtype);

// A row of updates and the row of the target it goes to.
struct Move {
  std::int64_t target;  // row of the target
  std::int64_t update;  // row of the updates
};

// Rows of both sides, and the part of each that is worked on.
struct MoveTarget {
  std::byte* target;          // the first element worked on, of target row 0
  const std::byte* updates;   // the same of update row 0
  std::int64_t row_elements;  // from one row of the target to the next
  std::int64_t columns;       // elements of each row that are worked on
  std::int64_t update_step;   // elements from one update row to the next; 0: all are the same
};

// Applies moves in their order.
using Combine = void (*)(const MoveTarget& rows, const Move* moves, std::int64_t count);

// The loop for a dtype and a reduction other than mean; null where it is not defined.
[[nodiscard]] Combine combine_loop(Reduction reduction, DType dtype);

// Combines all updates of one target row, `count` of them, and with `use_init_val` its own value.
using Fold = void (*)(const MoveTarget& rows, const Move* moves, std::int64_t count, bool use_init_val);
// The loop of a mean, and of a reduction that accumulates_wide(); null for all others, and where the
// reduction is not defined.
[[nodiscard]] Fold fold_loop(Reduction reduction, DType dtype, Rounding rounding);

// Float32 accumulators of target rows, for blocks of moves.
struct WideRows {
  std::byte* target;          // as in MoveTarget
  std::int64_t row_elements;  // from one row to the next, of the target and of the accumulators
  std::int64_t columns;
  std::unique_ptr<float[]> accumulators = {};  // of rows that are begun
  std::vector<std::uint64_t> begun = {};       // a bit for each row
};

// Operations on WideRows, for a dtype and a reduction that accumulates_wide(), other than mean.
struct WideLoops {
  // The accumulators of the rows that the moves go to begin with the values of these rows, once.
  void (*begin)(WideRows& rows, const Move* moves, std::int64_t count) = nullptr;
  Combine combine = nullptr;  // the target is the accumulators
  // Rounds the accumulators into their rows.
  void (*end)(const WideRows& rows) = nullptr;
};
// Null functions where it does not accumulate so.
[[nodiscard]] WideLoops wide_loops(Reduction reduction, DType dtype, Rounding rounding);

}  // namespace tensorop
