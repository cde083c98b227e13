#include "kernels/schedules/tiles.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/rows/row_updates.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {
namespace {

// The share of the last-level cache that a core can expect; tiles are larger only when the axis is very long.
constexpr std::int64_t kTileBytes = 4 << 20;
// Number of bytes of data that are written at a time.
constexpr std::int64_t kBaseBytes = 1 << 20;

// The columns of a map, split into tiles.
class ColumnTiles {
 public:
  // The indexed tensor has `elements` of `width` bytes. A map without columns, or with more than kMostSteps
  // steps, has no tiles.
  ColumnTiles(const RowMap& map, std::int64_t elements, std::int64_t width)
      : columns_(map.columns()), stride_(columns_ == 0 ? 1 : map.column_stride()), width_(width) {
    if (columns_ == 0) return;
    steps_ = elements / stride_;
    if (steps_ > kMostSteps) return;
    const std::int64_t line_columns = kCacheLine / width;
    const std::int64_t line_bytes = std::max<std::int64_t>(1, steps_ * kCacheLine);
    tile_columns_ = line_columns * std::max<std::int64_t>(1, kTileBytes / line_bytes);
    count_ = ceil_div(columns_, tile_columns_);
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  // Whether the columns are all elements of the tensor.
  [[nodiscard]] bool cover_all() const { return columns_ == stride_; }

  // The columns of a tile.
  [[nodiscard]] Range tile(std::int64_t number) const {
    const std::int64_t first = number * tile_columns_;
    return {first, std::min(tile_columns_, columns_ - first)};
  }
  // The memory that the largest tile needs.
  [[nodiscard]] std::int64_t bytes() const { return steps_ * tile_columns_ * width_; }
  // Copies a tile from the tensor to the tile's own memory; unpack() copies it back.
  void pack(const Range& tile, const std::byte* tensor, std::byte* packed) const {
    const std::int64_t row = tile.count * width_;
    for (std::int64_t step = 0; step < steps_; ++step) {
      std::memcpy(packed + step * row, tensor + (step * stride_ + tile.first) * width_, to_size(row));
    }
  }
  void unpack(const Range& tile, const std::byte* packed, std::byte* tensor) const {
    const std::int64_t row = tile.count * width_;
    for (std::int64_t step = 0; step < steps_; ++step) {
      std::memcpy(tensor + (step * stride_ + tile.first) * width_, packed + step * row, to_size(row));
    }
  }

 private:
  std::int64_t columns_;
  std::int64_t stride_;  // elements from one step along the axis to the next
  std::int64_t steps_ = 0;
  std::int64_t width_;
  std::int64_t tile_columns_ = 1;
  std::int64_t count_ = 0;
};

// Applies all updates of the columns `tile`. `packed` holds these columns of data: tile.count elements for
// each step along the axis.
void update_tile(const RowMoves& moves, Range tile, std::byte* packed) {
  const RowMap& map = moves.map;
  const RowUpdates& row_updates = *moves.row_updates;
  const std::int64_t elements = moves.data_rows() / map.column_stride() * tile.count;
  row_updates.update({{0, elements}, 0, 1, 0}, packed, nullptr, [&](const auto& use_moves) {
    Move blocks[kIndexBlock];
    map.locate_columns({0, map.index_steps()}, tile, tile,
                       [&](std::int64_t row, std::int64_t count, const std::int64_t* offsets) {
                         const std::int64_t later = row + kTileStepsAhead * map.columns();
                         if (later < map.rows() && !row_updates.repeats())
                           prefetch(moves.row_updates->stored() + later * moves.row_bytes(),
                                    count * moves.row_bytes());
                         for (std::int64_t i = 0; i < count; ++i) blocks[i] = {offsets[i], row + i};
                         use_moves(blocks, count);
                       });
  });
}

}  // namespace

void fill_tiles(const RowMoves& moves, std::byte* whole, std::int64_t part, std::int64_t parts) {
  const ColumnTiles tiles(moves.map, moves.data_rows(), moves.row_bytes());
  Storage packed(tiles.bytes());
  const std::int64_t end = part_bound(tiles.count(), part + 1, parts);
  for (std::int64_t number = part_bound(tiles.count(), part, parts); number < end; ++number) {
    const Range tile = tiles.tile(number);
    tiles.pack(tile, moves.data.data(), packed.data());
    update_tile(moves, tile, packed.data());
    tiles.unpack(tile, packed.data(), whole);
  }
}

void write_base_of_tiles(const RowMoves& moves, Range elements, const ElementTarget& target,
                         const Threads& threads) {
  if (ColumnTiles(moves.map, moves.data_rows(), moves.row_bytes()).cover_all()) return;
  const std::int64_t block_rows = kBaseBytes / moves.row_bytes();
  threads.expect(elements.count * moves.row_bytes());
  for_each_range(elements, block_rows, threads, [&](Range some, int /*worker*/) {
    target.write(some, moves.data.data() + some.first * moves.row_bytes());
    threads.advance(some.count * moves.row_bytes());
  });
}

}  // namespace tensorop
