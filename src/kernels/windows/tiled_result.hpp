// The result of working along an outer axis, as tiles of columns (wide_tiles.hpp) write it.
//
// The end of each row may share a page with the next row, which is that of another tile: the last tile comes
// first, and ends of rows wait in memory until the first tile writes whole pages: a page that two tiles write
// is read again for the second one, which took three times as long as all else. Where tiles have less than
// some pages of each row, every tile would write a part of each page, and the system read the page again for
// it: such tiles go to a temporary file, each in one piece, and rows are put together at the end. Wider tiles
// do without: of 1 GiB in rows of 64 KiB in 6 tiles, the file adds 1.6 GiB read and 1 GiB written, and saves
// 86,000 writes of pieces. At 8.5 us a request and 0.55 ns a byte that is 1.1 times the time; in 2 tiles 1.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/files/scratch_file.hpp"
#include "base/threads.hpp"
#include "kernels/range.hpp"
#include "kernels/windows/wide_tiles.hpp"
#include "kernels/windows/windows.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class TiledResult {
 public:
  // `tiles`, `windowing` and `threads` outlive it. Throws Error where a temporary file is needed and there is
  // no space.
  TiledResult(const WideTiles& tiles, const Windowing& windowing, const Threads& threads);

  // The tile that is the i-th to be made.
  [[nodiscard]] std::int64_t turn(std::int64_t i) const { return i == 0 ? tiles_.count() - 1 : i - 1; }

  // Takes the part of a block that belongs to tile `number`. The rows of the block lie at `elements`,
  // `stride` elements from each other. Any thread.
  void write(std::int64_t number, const TileBlock& block, const std::byte* elements,
             std::int64_t stride) const;
  // After all tiles.
  void finish() const;

 private:
  [[nodiscard]] std::byte* tail(std::int64_t row) const;
  void write_piece(std::int64_t row, Range piece, const std::byte* elements) const;
  // The temporary file: tile after tile, each in row order. Where a row of a tile begins in it, in bytes.
  [[nodiscard]] std::int64_t scratch_offset(std::int64_t number, std::int64_t row) const;
  [[nodiscard]] RowPieces scratch_tile(std::int64_t number) const;
  void join() const;

  const WideTiles& tiles_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t width_;
  const Windowing& windowing_;
  const Threads& threads_;
  std::optional<ScratchFile> scratch_;
  const std::byte* mapped_ = nullptr;  // it
  std::int64_t tail_columns_;
  mutable std::optional<Storage> tails_;  // of all rows
};

}  // namespace tensorop
