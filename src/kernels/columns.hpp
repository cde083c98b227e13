// Working along an outer axis tile by tile. There the elements that indices select lie a whole row apart,
// each on a page of its own: copied together first, a few columns fit in cache and in few pages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/locator.hpp"

namespace tensorop {

// The lanes of a locator, shared out in tiles of neighbouring ones.
class LaneTiles {
 public:
  // `elements` of `width` bytes in the indexed tensor.
  LaneTiles(const Locator& locator, std::int64_t elements, std::int64_t width);

  // Into how many tiles; 0 where the locator has no lanes, or where even a cache line of them would need more
  // than 16 MiB.
  [[nodiscard]] std::int64_t count() const { return count_; }
  // Whether the lanes are all the elements of the tensor.
  [[nodiscard]] bool cover_all() const { return lanes_ == stride_; }

  struct Tile {
    std::int64_t begin;  // the first lane
    std::int64_t end;
  };
  [[nodiscard]] Tile tile(std::int64_t number) const;
  // Memory for any one tile.
  [[nodiscard]] std::int64_t bytes() const { return steps_ * tile_lanes_ * width_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }  // along the axis
  // From the tensor to the tile's own memory, and back.
  void pack(const Tile& tile, const std::byte* tensor, std::byte* packed) const;
  void unpack(const Tile& tile, const std::byte* packed, std::byte* tensor) const;

 private:
  std::int64_t lanes_;
  std::int64_t stride_;  // elements from one step along the axis to the next
  std::int64_t steps_ = 0;
  std::int64_t width_;
  std::int64_t tile_lanes_ = 1;
  std::int64_t count_ = 0;
};

// Writes the elements of `width` bytes that the locator's indices select from `data`: those of the tiles
// [first, last).
void gather_tiles(std::byte* out, const std::byte* data, const Locator& locator, const LaneTiles& tiles,
                  std::int64_t first, std::int64_t last, std::int64_t width);

}  // namespace tensorop
