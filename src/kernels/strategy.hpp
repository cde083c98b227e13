// Decides in which order the rows of a gather or a scatter are moved: in one function, from sizes only, so
// that every thread and every machine decides the same.
#pragma once

#include <cstdint>

#include "kernels/columns.hpp"
#include "kernels/row_map.hpp"

namespace tensorop {

// What the decision depends on.
struct Movement {
  bool is_scatter = false;
  std::int64_t rows = 0;          // that index tuples select
  std::int64_t row_bytes = 0;     // at least 1
  std::int64_t tensor_bytes = 0;  // of the indexed tensor
  std::int64_t repeats = 1;       // RowMap::repeats()
  std::int64_t tuples = 0;        // index tuples
  std::int64_t group_size = 0;    // RowMap::group_size()
  std::int64_t group_rows = 0;    // RowMap::group_rows()
  std::int64_t columns = 0;       // RowMap::columns()
  std::int64_t steps = 0;         // ColumnTiles::steps()
};

// That of a gather from, or a scatter into, a tensor of `tensor_bytes`; rows have `row_bytes`.
[[nodiscard]] Movement movement_of(const RowMap& map, const ColumnTiles& tiles, std::int64_t row_bytes,
                                   std::int64_t tensor_bytes, bool is_scatter);

// So many updates are sorted whatever memory there is: 12 bytes each, 24 MiB in all. Of more, those along an
// outer axis are faster in tiles.
inline constexpr std::int64_t kMostSorted = 2 << 20;

struct Strategy {
  enum class Order : std::uint8_t {
    by_range,   // any range of the result by itself, in row order
    sorted,     // scatter: updates sorted by offset first, then any range by itself
    by_column,  // the whole result, a tile of columns at a time (columns.hpp)
  };
  Order order = Order::by_range;
  bool keep_offsets = false;  // decode indices once (RowMap::keep_offsets)
  bool read_groups = false;   // gather: read each group from front to end before rows are taken from it

  [[nodiscard]] bool is_whole() const { return order == Order::by_column; }
};

[[nodiscard]] Strategy choose_strategy(const Movement& movement);

}  // namespace tensorop
