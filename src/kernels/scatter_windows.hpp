// Scattering rows into data that memory does not hold: the result is made in windows, each a copy of its part
// of data with the updates that go there. The updates are divided by window first (partition.hpp): indices
// and updates are read once, from front to end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/partition.hpp"
#include "kernels/plan.hpp"
#include "kernels/row_map.hpp"
#include "kernels/row_updates.hpp"

namespace tensorop {

// A scatter of rows; `data`, `updates`, the map and how updates are applied outlive it.
struct WindowedScatter {
  const std::byte* data;
  std::int64_t target_rows;
  std::int64_t row_elements;
  std::int64_t row_bytes;
  const std::byte* updates;  // a row for each row of the map; not used where they are repeated
  const RowMap& map;         // which target row each row of updates goes to
  const RowUpdates& row_updates;

  // As in Plan.
  [[nodiscard]] WindowPlan plan(std::int64_t memory) const;
  void fill(const Windowing& windowing, const Threads& threads) const;
};

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
