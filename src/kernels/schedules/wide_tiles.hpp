// Tiles for work along an outer axis of tensors that do not fit in memory. Unlike the tiles of tiles.hpp
// they are as wide as memory allows, so that a tile has whole pages of each row: each segment of a row of an
// operand is read once, and each page of the result is written by one tile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "kernels/range.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The sizes that tiles depend on.
struct TileShape {
  std::int64_t rows;  // rows of the result
  std::int64_t columns;
  std::int64_t width;         // bytes of an element
  std::int64_t column_bytes;  // memory that a column of a tile takes, at least 1
};

// The columns of a result, split into tiles.
class WideTiles {
 public:
  // A tile takes at most `memory` bytes, including the ends of rows that wait (tail_columns()), but has at
  // least one column. Element 0 of the result lies at byte `file_offset` of its file.
  WideTiles(const TileShape& shape, std::int64_t memory, std::int64_t file_offset);

  [[nodiscard]] const TileShape& shape() const { return shape_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  // Whether there are many tiles with less than a few pages of each row. All of them would read most pages of
  // the operands, and write most pages of the result.
  [[nodiscard]] bool are_narrow() const { return count_ > 2 && !pages_; }
  // The number of elements at the end of each row that share a page of the file with the next row. 0 unless
  // rows are whole pages, tiles begin with pages, and memory has room.
  [[nodiscard]] std::int64_t tail_columns() const;
  // The columns that a tile holds. Neighbouring tiles may share up to a page of columns.
  [[nodiscard]] Range tile(std::int64_t number) const;
  // The largest number of columns in a tile.
  [[nodiscard]] std::int64_t most_columns() const;
  // The columns of row `row` of the result that a tile writes, out of those it holds. Each column is written
  // by one tile, and so is each page of the file, unless tiles are too narrow.
  [[nodiscard]] Range segment(std::int64_t number, std::int64_t row) const;

 private:
  // The first column of a row that tile `number` writes.
  [[nodiscard]] std::int64_t bound(std::int64_t number, std::int64_t row) const;

  TileShape shape_;
  std::int64_t file_offset_;
  std::int64_t page_columns_;  // columns in a page
  bool rows_are_pages_;        // pages begin at the same columns of all rows
  std::int64_t tile_columns_;
  std::int64_t count_ = 1;
  bool pages_ = false;  // the columns that a tile writes begin with a page of the file
};

// Rows of a tensor that are read in segments.
class SplitRows {
 public:
  // Rows of `columns` elements. `mapped`: the tensor is a mapped file, whose pages may be released after use.
  SplitRows(const Tensor& tensor, std::int64_t columns, bool mapped);
  // The rows at `data` consist of the columns `columns` only.
  SplitRows(const std::byte* data, std::int64_t rows, Range columns, std::int64_t width, bool mapped);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] const std::byte* at(std::int64_t row, std::int64_t column) const {
    return data_ + (row * columns_ + column - first_) * width_;
  }
  // Tells the system that only segments passed to need() will be read.
  void begin() const;
  // Starts to read these columns of these rows.
  void need(Range rows, Range columns) const;
  // Tells the system that these segments will not be read again soon.
  void done(Range rows, Range columns) const;
  // Bytes that are read from the disk if the segments of `tiles` tiles are read one tile after the other.
  [[nodiscard]] std::int64_t read_bytes(std::int64_t tiles) const;

 private:
  // Whether the gaps between segments are read as well, because skipping them takes more time.
  [[nodiscard]] bool reads_gaps(std::int64_t columns) const;

  const std::byte* data_;
  std::int64_t rows_;
  std::int64_t first_;    // the first column
  std::int64_t columns_;  // number of columns in a row
  std::int64_t width_;
  bool mapped_;
};

// Some columns of some rows: the work of a thread at a time.
struct TileBlock {
  Range rows;
  Range columns;
};

// The largest size of a block; a row of a block counts as at least a page.
inline constexpr std::int64_t kBlockBytes = 1 << 20;

// The blocks of `rows` rows of a tile, in ascending order of their rows.
class TileBlocks {
 public:
  // A row has `columns` elements of `width` bytes.
  TileBlocks(std::int64_t rows, Range columns, std::int64_t width);

  [[nodiscard]] std::int64_t count() const { return ceil_div(rows_, block_rows_) * segments_; }
  [[nodiscard]] TileBlock operator[](std::int64_t number) const;

 private:
  std::int64_t rows_;
  Range columns_;
  std::int64_t block_rows_;
  std::int64_t segment_columns_;  // a long row is split into segments
  std::int64_t segments_;
};

// Number of blocks that are announced to the system ahead of the current one: enough to keep a disk busy.
inline constexpr std::int64_t kBlocksAhead = 8;

}  // namespace tensorop
