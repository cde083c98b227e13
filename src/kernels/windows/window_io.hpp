// What windows have in common: reading rows ahead, and writing the part of a result that rows divided by
// where they go (partition.hpp) make, window by window: a run of the partition is a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/threads.hpp"
#include "kernels/rows/combine.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/windows/windows.hpp"

namespace tensorop {

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

// As many of the threads as memory has room for, each with `bytes`; at least one.
[[nodiscard]] Threads threads_within(std::int64_t memory, std::int64_t bytes, const Threads& threads);

}  // namespace tensorop
