// Fills a result from operands that do not fit in memory, in bands: parts of the result as large as memory
// allows, each filled from operands that are read in ascending order, or tiles of columns. choose.hpp decides
// whether bands are used; the resulting bytes are the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/process/threads.hpp"
#include "kernels/element_target.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/reduce.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// The bands of a result, from sizes alone.
struct BandPlan {
  bool in_tiles = false;           // of columns, whose elements are written in any order
  std::int64_t count = 0;          // bands of the result, or tiles
  std::int64_t band_bytes = 0;     // bytes of the result in each, at most
  std::int64_t read_bytes = 0;     // bytes of operands that all bands read together, at most
  std::int64_t scratch_bytes = 0;  // bytes written to temporary files, and read again
};

// The parameters of fill_bands() that an executor provides.
struct BandSettings {
  // Bytes for bands, moves and buffers together. Any number works; a few megabytes are used in any case.
  std::int64_t memory = 0;
  // Processes on this machine that do the same at the same time, each with this much memory.
  int sharers = 1;
  ElementTarget target;
  // Whether the elements of an operand are in a mapped file, whose pages may be released after use.
  std::function<bool(const std::byte* elements)> is_mapped = [](const std::byte*) { return false; };
  // Makes a temporary file of `bytes` bytes. Throws Error if there is no space.
  std::function<ScratchFile(std::int64_t bytes)> scratch;
};

// The bands that fill_bands() makes with `memory` bytes.
[[nodiscard]] BandPlan plan_bands(const RowMoves& moves, std::int64_t memory);
// Writes the whole result, on all threads. Throws PlanFault if an index is out of range, but not always for
// the lowest position; Error if there is no space. If the bands are in_tiles, the target must accept
// elements in any order.
void fill_bands(const RowMoves& moves, const BandSettings& band_settings, const Threads& threads);

// The functions for each kind of moves: gathers in passes (gather_bands.cpp), scatters
// (scatter_bands.cpp), and moves for which in_columns() holds, in tiles (column_bands.cpp).
[[nodiscard]] BandPlan plan_gather_bands(const RowMoves& gather, std::int64_t memory);
void fill_gather_bands(const RowMoves& gather, const BandSettings& band_settings, const Threads& threads);
[[nodiscard]] BandPlan plan_scatter_bands(const RowMoves& scatter, std::int64_t memory);
void fill_scatter_bands(const RowMoves& scatter, const BandSettings& band_settings, const Threads& threads);
// Whether the smallest tile, one column, fits in `memory` or in a few megabytes.
[[nodiscard]] bool fits_columns(const RowMoves& moves, std::int64_t memory);
[[nodiscard]] BandPlan plan_column_bands(const RowMoves& moves, std::int64_t memory);
void fill_column_bands(const RowMoves& moves, const BandSettings& band_settings, const Threads& threads);

// The division of a scatter's updates into bands, from sizes alone.
struct UpdateDivision {
  PartitionSizes sizes;  // a bucket's targets are a band
  bool in_file = false;
  // As many of `threads` as can divide updates at once in `memory` bytes (BandSettings::memory).
  [[nodiscard]] Threads dividing(std::int64_t memory, const Threads& threads) const;
};

// The facts that the division depends on.
struct UpdateFacts {
  std::int64_t target_rows = 0;
  std::int64_t rows = 0;  // rows of updates
  std::int64_t row_bytes = 0;
  bool repeated = false;               // rows of updates are generated, not read
  bool by_row = false;                 // RowUpdates::by_row()
  std::int64_t accumulator_bytes = 0;  // RowUpdates::accumulator_bytes()
  std::int64_t memory = 0;             // BandSettings::memory
};

[[nodiscard]] UpdateDivision choose_division(const UpdateFacts& facts);

// Throws PlanFault for the lowest bad index, or else duplicate_update for the lowest update whose row has an
// earlier update. Divides the updates by target, in about `memory` bytes or in a file from `scratch`; the
// time is proportional to the number of updates.
void require_no_duplicates(const RowMoves& scatter, std::int64_t memory,
                           const std::function<ScratchFile(std::int64_t bytes)>& scratch,
                           const Threads& threads);

// Writes the targets of `updates`, divided as choose_division() says for the same memory.
void write_scatter_bands(const RowMoves& scatter, const Partition& updates, const BandSettings& band_settings,
                         const Threads& threads);

// Calls make(band, out) for each bucket of `rows`, whose targets are rows of the result, on some threads.
// make() writes all target rows of the bucket to `out`, and write_bands() writes them to the result. A row
// has `row_elements` elements and `row_bytes` bytes. Takes memory for one band in each thread.
void write_bands(const Partition& rows, std::int64_t row_elements, std::int64_t row_bytes,
                 const BandSettings& band_settings, const Threads& threads,
                 const std::function<void(std::int64_t band, std::byte* out)>& make);

// Starts to read the pages of the rows move.*row of `base`, which ascend and have `row_bytes` each. Also
// reads pages between two needed pages if that is faster.
void will_need_rows(const std::byte* base, std::int64_t row_bytes, std::span<const Move> moves,
                    std::int64_t Move::*row = &Move::target);

// Calls work(number, worker) for `count` numbers, on some threads. Calls need() for a number `ahead` numbers
// before its work(), and for the first numbers before all work.
template <class Need, class Work>
void for_each_ahead(std::int64_t count, std::int64_t ahead, const Threads& threads, const Need& need,
                    const Work& work) {
  threads.for_each(count, [&](std::int64_t number, int worker) {
    for (std::int64_t first = 0; number == 0 && first < std::min(ahead, count); ++first) need(first);
    if (number + ahead < count) need(number + ahead);
    work(number, worker);
  });
}

// At least one thread, and at most as many of `threads` as memory has room for with `bytes` bytes each.
[[nodiscard]] Threads threads_within(std::int64_t memory, std::int64_t bytes, const Threads& threads);

}  // namespace tensorop
