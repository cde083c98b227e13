// Filling a result from operands that memory does not hold, in windows: parts of the result as large as
// memory allows, each of them filled from operands that are read in ascending order, or tiles of columns.
// Whether that is done is the choice of choose.hpp; the bytes are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/threads.hpp"
#include "kernels/element_target.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

class ScratchFile;

// Windows by sizes alone.
struct WindowPlan {
  std::int64_t count = 0;          // windows of the result, or tiles of columns
  std::int64_t window_bytes = 0;   // of the result in each, at most
  std::int64_t read_bytes = 0;     // of operands, by all windows together, at most
  std::int64_t scratch_bytes = 0;  // written to temporary files, and read again
};

// What an executor gives to fill_windows().
struct Windowing {
  // Bytes that windows, moves and buffers may take together. Any number works; a few megabytes are used in
  // any case.
  std::int64_t memory = 0;
  // Processes of this machine that do the same at the same time, each with as much memory.
  int sharers = 1;
  ElementTarget target;
  // Whether the elements of an operand lie in a mapped file, whose pages may be given up after use.
  std::function<bool(const std::byte* elements)> is_mapped = [](const std::byte*) { return false; };
  // A temporary file of so many bytes. Throws Error where there is no space.
  std::function<ScratchFile(std::int64_t bytes)> scratch;
};

// The windows that fill_windows() makes with so much memory.
[[nodiscard]] WindowPlan plan_windows(const RowMoves& moves, std::int64_t memory);
// Writes the whole result, on all threads. Throws PlanFault where any index is out of range, but not always
// for the lowest position; Error where there is no space. Tiles of columns only where the
// target takes elements anywhere.
void fill_windows(const RowMoves& moves, const Windowing& windowing, const Threads& threads);

// The two for one kind of moves: gathers in passes (gather_windows.cpp), scatters (scatter_windows.cpp), and
// moves for which in_columns() holds, in tiles (column_windows.cpp).
[[nodiscard]] WindowPlan plan_gather_windows(const RowMoves& gather, std::int64_t memory);
void fill_gather_windows(const RowMoves& gather, const Windowing& windowing, const Threads& threads);
[[nodiscard]] WindowPlan plan_scatter_windows(const RowMoves& scatter, std::int64_t memory);
void fill_scatter_windows(const RowMoves& scatter, const Windowing& windowing, const Threads& threads);
// Whether the least tile, a column, takes no more than `memory`, or a few megabytes.
[[nodiscard]] bool fits_columns(const RowMoves& moves, std::int64_t memory);
[[nodiscard]] WindowPlan plan_column_windows(const RowMoves& moves, std::int64_t memory);
void fill_column_windows(const RowMoves& moves, const Windowing& windowing, const Threads& threads);

}  // namespace tensorop
