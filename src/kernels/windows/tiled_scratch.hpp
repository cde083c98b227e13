// A result of which tiles of columns have less than some pages of each row. Every tile would write a part of
// each page, and the system read the page again for it: so tiles go to a temporary file, each in one piece,
// and rows are put together at the end.
#pragma once

#include <cstdint>

#include "base/files/scratch_file.hpp"
#include "base/threads.hpp"
#include "kernels/windows/wide_tiles.hpp"
#include "kernels/windows/windows.hpp"

namespace tensorop {

// Rows of `columns` elements, all of which are tiled, in a temporary file: tile after tile, each in row
// order.
class TiledScratch {
 public:
  // `tiles`, narrow ones, and `windowing` outlive it. Throws Error where there is no space.
  TiledScratch(const WideTiles& tiles, std::int64_t rows, std::int64_t columns, std::int64_t width,
               const Windowing& windowing);

  // Takes whole rows of a tile, any number of threads at once.
  void write(std::int64_t number, Range rows, const std::byte* elements) const;
  // Writes all rows to windowing.write.
  void join(const Threads& threads) const;

 private:
  // Where a row of a tile begins, in bytes of the file.
  [[nodiscard]] std::int64_t offset(std::int64_t number, std::int64_t row) const;
  [[nodiscard]] RowPieces tile(std::int64_t number) const;

  const WideTiles& tiles_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t width_;
  const Windowing& windowing_;
  ScratchFile file_;
  const std::byte* mapped_;
};

}  // namespace tensorop
