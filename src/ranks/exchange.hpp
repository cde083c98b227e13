// Rows that several ranks gather or scatter together, each owning a part of the rows: no rank reads what
// another one owns, and what is needed elsewhere is sent. The bytes do not depend on the number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/files/scratch_file.hpp"
#include "base/threads.hpp"
#include "engine/executor.hpp"
#include "kernels/range.hpp"
#include "kernels/rows/row_moves.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// What an exchange works with. All ranks have the same `memory`.
struct Exchange {
  const Ranks& ranks;
  const Threads& threads;
  // Bytes that this rank's windows and buffers may take; in any case a few megabytes, and a row for each
  // other rank, each way.
  std::int64_t memory;
  bool is_mapped;  // whether data lies in a mapped file, whose pages may be given up after use
  bool is_cold;    // whether pages of it may have to be read from a disk
  RankCost* cost;  // null: nobody wants to know
  // A temporary file of so many bytes, for rows that memory does not hold until their turn.
  std::function<ScratchFile(std::int64_t bytes)> scratch;
  // Takes elements of this rank's part of the result, from any thread.
  std::function<void(Range elements, const std::byte* from)> write;
};

// Every rank makes the rows part_of(rows) of the result, in windows as large as memory allows. In passes over
// as many rows as it can sort, each asks the ranks that own them for the rows of data that it needs, in
// ascending order, each row once for a pass, however often it occurs. So each rank reads its part of data
// from front to end, once for a pass. Rows of later windows than the first of a pass wait in a temporary
// file. Together: throws PlanFault where an index is out of range, not always for the lowest one.
void gather_by_exchange(const RowMoves& moves, const Exchange& exchange);

// Every rank makes the rows part_of(data_rows) of the result, in windows as large as memory allows. The ranks
// read the updates once, in turns, block after block, and send each to the rank that owns its target; that
// one applies them by block, rank and position: in the order of the index tuples. Where a part is more than
// one window, updates wait in a temporary file. Together: as above.
void scatter_by_exchange(const RowMoves& moves, const Exchange& exchange);

}  // namespace tensorop
