// Filling a result from operands that memory does not hold, in windows: parts of the result as large as
// memory allows, each of them filled from operands that are read in ascending order, or tiles of columns.
// Whether that is done is the choice of choose.hpp; the bytes are the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/threads.hpp"
#include "kernels/element_target.hpp"
#include "kernels/rows/combine.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

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
// for the lowest position; Error where there is no space. Moves for which in_columns() holds need a target
// that takes elements anywhere.
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

// How the updates of a scatter are divided by window, by sizes alone.
struct UpdateDivision {
  PartitionSizes sizes;  // the targets of a run are a window
  bool in_file = false;
  // As many of the threads as can divide updates at the same time in `memory` bytes, as in Windowing.
  [[nodiscard]] Threads dividing(std::int64_t memory, const Threads& threads) const;
};

// What it depends on.
struct UpdateFacts {
  std::int64_t target_rows = 0;
  std::int64_t rows = 0;  // of updates
  std::int64_t row_bytes = 0;
  bool repeated = false;               // rows of updates are made, not read
  bool by_row = false;                 // RowUpdates::by_row()
  std::int64_t accumulator_bytes = 0;  // RowUpdates::accumulator_bytes()
  std::int64_t memory = 0;             // as in Windowing
};

[[nodiscard]] UpdateDivision choose_division(const UpdateFacts& facts);

// The part of the result that `updates` go to, divided as choose_division() says for as much memory.
void write_scatter_windows(const RowMoves& scatter, const Partition& updates, const Windowing& windowing,
                           const Threads& threads);

// Calls make(window, out) for each run of `rows`, whose targets are rows of the result, on some threads; and
// writes what it made at `out`, all target rows of the run. Rows have `row_elements` elements of `row_bytes`
// bytes in all. Takes memory for a window for each thread.
void write_windows(const Partition& rows, std::int64_t row_elements, std::int64_t row_bytes,
                   const Windowing& windowing, const Threads& threads,
                   const std::function<void(std::int64_t window, std::byte* out)>& make);

// Starts reading the pages of the rows move.*row of `base`, which ascend and have `row_bytes` each. Pages
// between two that are needed are read too where that is faster.
void will_need_rows(const std::byte* base, std::int64_t row_bytes, std::span<const Move> moves,
                    std::int64_t Move::*row = &Move::target);

// Calls work(number, worker) for `count` numbers, on some threads, and before that of each one need() of the
// number that is `ahead` after it; need() of the first ones before all.
template <class Need, class Work>
void for_each_ahead(std::int64_t count, std::int64_t ahead, const Threads& threads, const Need& need,
                    const Work& work) {
  threads.for_each(count, [&](std::int64_t number, int worker) {
    for (std::int64_t first = 0; number == 0 && first < std::min(ahead, count); ++first) need(first);
    if (number + ahead < count) need(number + ahead);
    work(number, worker);
  });
}

// As many of the threads as memory has room for, each with `bytes`; at least one.
[[nodiscard]] Threads threads_within(std::int64_t memory, std::int64_t bytes, const Threads& threads);

}  // namespace tensorop
