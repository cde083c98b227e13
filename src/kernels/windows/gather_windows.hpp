// Gathering rows from data that memory does not hold, in passes: the rows of a pass are sorted by where they
// lie in data, and data is read once, in ascending order. Rows of the result that memory has no room for
// until their turn are divided by where they go (partition.hpp).
#pragma once

#include <cstdint>

#include "base/threads.hpp"
#include "kernels/rows/row_moves.hpp"
#include "kernels/windows/windows.hpp"

namespace tensorop {

// As in windows.hpp.
[[nodiscard]] WindowPlan plan_gather_windows(const RowMoves& gather, std::int64_t memory);
void fill_gather_windows(const RowMoves& gather, const Windowing& windowing, const Threads& threads);

}  // namespace tensorop
