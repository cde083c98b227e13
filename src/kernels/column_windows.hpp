// Gathering and scattering along an outer axis of tensors that memory does not hold, a wide tile of columns
// at a time (wide_tiles.hpp).
#pragma once

#include <cstdint>

#include "kernels/plan.hpp"
#include "kernels/row_map.hpp"
#include "kernels/row_updates.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// `map` has columns. All that these refer to outlives them. plan() and fill() as in Plan, of kind
// columns.
struct ColumnGather {
  const Tensor& data;
  const RowMap& map;

  // Whether the least tile, a column, takes no more than `memory`, or a few megabytes.
  [[nodiscard]] bool fits(std::int64_t memory) const;
  [[nodiscard]] WindowPlan plan(std::int64_t memory) const;
  void fill(const Windowing& windowing, const Threads& threads) const;
};

// Updates that are not repeated have an element for each index.
struct ColumnScatter {
  const Tensor& data;
  const Tensor& updates;
  const RowMap& map;
  const RowUpdates& row_updates;

  [[nodiscard]] bool fits(std::int64_t memory) const;  // as above
  [[nodiscard]] WindowPlan plan(std::int64_t memory) const;
  void fill(const Windowing& windowing, const Threads& threads) const;
};

}  // namespace tensorop
