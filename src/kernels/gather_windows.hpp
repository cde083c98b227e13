// Gathering rows from data that memory does not hold: for each window of the result the rows are sorted by
// their offset, and data is read once, in ascending order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/plan.hpp"
#include "kernels/row_map.hpp"

namespace tensorop {

// A gather of rows; `data` and `map` outlive it.
struct WindowedGather {
  const std::byte* data;
  std::int64_t data_rows;
  std::int64_t row_elements;
  std::int64_t row_bytes;
  const RowMap& map;

  // As in Plan.
  [[nodiscard]] WindowPlan plan(std::int64_t memory) const;
  void fill(const Windowing& windowing, const Threads& threads) const;
};

}  // namespace tensorop
