#include "kernels/columns.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// The share of the last-level cache that a core can expect; tiles are larger only when the axis is very long.
constexpr std::int64_t kTileBytes = 4 << 20;

}  // namespace

ColumnTiles::ColumnTiles(const RowMap& map, std::int64_t elements, std::int64_t width)
    : columns_(map.columns()), stride_(map.column_stride()), width_(width) {
  if (columns_ == 0) return;
  steps_ = elements / stride_;
  if (steps_ > kMostSteps) return;
  const std::int64_t line_columns = kCacheLine / width;
  const std::int64_t line_bytes = std::max<std::int64_t>(1, steps_ * kCacheLine);
  tile_columns_ = line_columns * std::max<std::int64_t>(1, kTileBytes / line_bytes);
  count_ = ceil_div(columns_, tile_columns_);
}

Range ColumnTiles::tile(std::int64_t number) const {
  const std::int64_t first = number * tile_columns_;
  return {first, std::min(tile_columns_, columns_ - first)};
}

void ColumnTiles::pack(const Range& tile, const std::byte* tensor, std::byte* packed) const {
  const std::int64_t row = tile.count * width_;
  for (std::int64_t step = 0; step < steps_; ++step) {
    std::memcpy(packed + step * row, tensor + (step * stride_ + tile.first) * width_, to_size(row));
  }
}

void ColumnTiles::unpack(const Range& tile, const std::byte* packed, std::byte* tensor) const {
  const std::int64_t row = tile.count * width_;
  for (std::int64_t step = 0; step < steps_; ++step) {
    std::memcpy(tensor + (step * stride_ + tile.first) * width_, packed + step * row, to_size(row));
  }
}

}  // namespace tensorop
