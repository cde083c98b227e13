#include "kernels/columns.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/rows.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {
namespace {

// A tile stays within what a core may hope to keep of the last cache; more only where the axis is very long.
constexpr std::int64_t kTileBytes = 4 << 20;
constexpr std::int64_t kMostTileBytes = 16 << 20;

}  // namespace

LaneTiles::LaneTiles(const Locator& locator, std::int64_t elements, std::int64_t width)
    : lanes_(locator.lanes()), stride_(locator.lane_stride()), width_(width) {
  if (lanes_ == 0) return;
  steps_ = elements / stride_;
  const std::int64_t line_lanes = kCacheLine / width;
  const std::int64_t line_bytes = steps_ * kCacheLine;
  if (line_bytes > kMostTileBytes) return;
  tile_lanes_ = line_lanes * std::max<std::int64_t>(1, kTileBytes / std::max<std::int64_t>(1, line_bytes));
  count_ = ceil_div(lanes_, tile_lanes_);
}

LaneTiles::Tile LaneTiles::tile(std::int64_t number) const {
  return {number * tile_lanes_, std::min(lanes_, (number + 1) * tile_lanes_)};
}

void LaneTiles::pack(const Tile& tile, const std::byte* tensor, std::byte* packed) const {
  const std::int64_t row = (tile.end - tile.begin) * width_;
  for (std::int64_t step = 0; step < steps_; ++step) {
    std::memcpy(packed + step * row, tensor + (step * stride_ + tile.begin) * width_, to_size(row));
  }
}

void LaneTiles::unpack(const Tile& tile, const std::byte* packed, std::byte* tensor) const {
  const std::int64_t row = (tile.end - tile.begin) * width_;
  for (std::int64_t step = 0; step < steps_; ++step) {
    std::memcpy(tensor + (step * stride_ + tile.begin) * width_, packed + step * row, to_size(row));
  }
}

void gather_tiles(std::byte* out, const std::byte* data, const Locator& locator, const LaneTiles& tiles,
                  std::int64_t first, std::int64_t last, std::int64_t width) {
  Storage packed(tiles.bytes());
  for (; first < last; ++first) {
    const LaneTiles::Tile tile = tiles.tile(first);
    tiles.pack(tile, data, packed.data());
    locator.locate_tile(
        tile.begin, tile.end, [&](std::int64_t row, std::int64_t count, const std::int64_t* places) {
          gather_rows(out + row * width, packed.data(), places, count, width, locator.skips());
        });
  }
}

}  // namespace tensorop
