// Scattering rows into data that memory does not hold: the result is made in windows, each a copy of its part
// of data with the updates that go there. The updates are divided by window first (partition.hpp): indices
// and updates are read once, from front to end.
#pragma once

#include <cstdint>

#include "base/threads.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/row_moves.hpp"
#include "kernels/windows/windows.hpp"

namespace tensorop {

// The part of the result that `updates` go to, divided as choose_division() says for as much memory.
void write_scatter_windows(const RowMoves& scatter, const Partition& updates, const Windowing& windowing,
                           const Threads& threads);

// How updates are divided, by sizes alone.
struct UpdateDivision {
  PartitionSizes sizes;  // the targets of a run are a window
  bool in_file = false;
};

// What it depends on.
struct UpdateFacts {
  std::int64_t target_rows = 0;
  std::int64_t rows = 0;  // of updates
  std::int64_t row_bytes = 0;
  bool repeated = false;    // rows of updates are made, not read
  bool by_row = false;      // RowUpdates::by_row()
  std::int64_t memory = 0;  // as in Windowing
};

[[nodiscard]] UpdateDivision choose_division(const UpdateFacts& facts);

}  // namespace tensorop
