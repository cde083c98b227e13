// Gathering and scattering along an outer axis of tensors that memory does not hold, a wide tile of columns
// at a time (wide_tiles.hpp).
#pragma once

#include <cstdint>

#include "base/threads.hpp"
#include "kernels/rows/row_moves.hpp"
#include "kernels/windows/windows.hpp"

namespace tensorop {

// in_columns() holds for the moves.

// Whether the least tile, a column, takes no more than `memory`, or a few megabytes.
[[nodiscard]] bool fits_columns(const RowMoves& moves, std::int64_t memory);
// As in windows.hpp.
[[nodiscard]] WindowPlan plan_column_windows(const RowMoves& moves, std::int64_t memory);
void fill_column_windows(const RowMoves& moves, const Windowing& windowing, const Threads& threads);

}  // namespace tensorop
