// Rows that several ranks gather or scatter together, each owning a part of the rows: no rank reads what
// another one owns, and what is needed elsewhere is sent. The bytes do not depend on the number of ranks.
#pragma once

#include "base/threads.hpp"
#include "engine/executor.hpp"
#include "kernels/rows/row_moves.hpp"
#include "kernels/windows/windows.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// What an exchange works with. All ranks have the same `memory`.
struct Exchange {
  const Ranks& ranks;
  const Threads& threads;
  // Of this rank, with a target that takes elements anywhere. The memory is for windows and buffers; a few
  // megabytes are taken in any case, and a row for each other rank, each way.
  const Windowing& windowing;
  bool is_cold;    // whether pages of data may have to be read from a disk
  RankCost* cost;  // null: nobody wants to know
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
