// Applies an update to its target row: replaces it or combines with it, by dtype and reduction.
// Source: sections 1.4 and 4.5 of the specification (G-4, T-3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.hpp"

namespace tensorop {

enum class Reduction : std::uint8_t { none, add, sub, mul, min, max, mean, and_bits, or_bits, xor_bits };

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

// The mean of all updates of one target row, `count` of them, and with `use_init_val` of its own value; null
// where it is not defined.
using Average = void (*)(const MoveTarget& rows, const Move* moves, std::int64_t count, bool use_init_val);
[[nodiscard]] Average average_loop(DType dtype);

}  // namespace tensorop
