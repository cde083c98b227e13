// Scattering rows into data that memory does not hold: the result is made in windows, each a copy of its part
// of data with the updates that go there. The updates are read in ascending order.
#pragma once

#include <cstddef>
#include <cstdint>

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

// Where the windows of a scatter take their updates from.
enum class UpdateSource : std::uint8_t {
  passes,  // each window goes through all updates that may belong to it, and reads those that do
  memory,  // read once, into a run for each window (distribution.hpp)
  file,    // the same, with the runs in a temporary file
};

// What the choice depends on.
struct UpdateFacts {
  std::int64_t windows = 1;
  std::int64_t rows = 0;  // of updates
  std::int64_t row_bytes = 0;
  bool repeated = false;    // rows of updates are made, not read
  std::int64_t memory = 0;  // as in Windowing
};

[[nodiscard]] UpdateSource choose_source(const UpdateFacts& facts);

}  // namespace tensorop
