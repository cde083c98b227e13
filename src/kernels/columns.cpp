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

ColumnTiles::ColumnTiles(const Locator& locator, std::int64_t elements, std::int64_t width)
    : columns_(locator.columns()), stride_(locator.column_stride()), width_(width) {
  if (columns_ == 0) return;
  steps_ = elements / stride_;
  if (steps_ > kMostSteps) return;
  const std::int64_t line_columns = kCacheLine / width;
  const std::int64_t line_bytes = std::max<std::int64_t>(1, steps_ * kCacheLine);
  tile_columns_ = line_columns * std::max<std::int64_t>(1, kTileBytes / line_bytes);
  count_ = ceil_div(columns_, tile_columns_);
}

ColumnTiles::Tile ColumnTiles::tile(std::int64_t number) const {
  return {number * tile_columns_, std::min(columns_, (number + 1) * tile_columns_)};
}

void ColumnTiles::pack(const Tile& tile, const std::byte* tensor, std::byte* packed) const {
  const std::int64_t row = (tile.end - tile.begin) * width_;
  for (std::int64_t step = 0; step < steps_; ++step) {
    std::memcpy(packed + step * row, tensor + (step * stride_ + tile.begin) * width_, to_size(row));
  }
}

void ColumnTiles::unpack(const Tile& tile, const std::byte* packed, std::byte* tensor) const {
  const std::int64_t row = (tile.end - tile.begin) * width_;
  for (std::int64_t step = 0; step < steps_; ++step) {
    std::memcpy(tensor + (step * stride_ + tile.begin) * width_, packed + step * row, to_size(row));
  }
}

}  // namespace tensorop
