// Working along an outer axis of tensors that memory does not hold. Tiles of columns (columns.hpp) are as
// wide as memory allows, so that a tile has pages of each row: each piece of a row of an operand is read
// once, and each page of the result is written by one tile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "kernels/range.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// What tiles are made of.
struct TileShape {
  std::int64_t rows;  // of the result
  std::int64_t columns;
  std::int64_t width;         // bytes of an element
  std::int64_t column_bytes;  // memory that a column of a tile takes, at least 1
};

// The columns of a result, split into tiles.
class WideTiles {
 public:
  // Tiles that take at most `memory` bytes, but of at least a column; the ends of rows that wait
  // (tail_columns()) are part of it. Element 0 of the result lies at byte
  // `file_offset` of its file.
  WideTiles(const TileShape& shape, std::int64_t memory, std::int64_t file_offset);

  [[nodiscard]] const TileShape& shape() const { return shape_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  // Whether there are many tiles of less than a few pages of each row, which no two tiles have in common: all
  // of them would read most pages of the operands, and write most pages of the result.
  [[nodiscard]] bool are_narrow() const { return count_ > 2 && !pages_; }
  // Of rows that are whole pages: the elements at the end of each that share a page of the file with the next
  // row, where tiles begin with pages and memory has room for them; else 0.
  [[nodiscard]] std::int64_t tail_columns() const;
  // The columns that a tile holds. Neighbouring tiles may have up to a page of columns in common.
  [[nodiscard]] Range tile(std::int64_t number) const;
  // No tile has more columns.
  [[nodiscard]] std::int64_t most_columns() const;
  // The columns of row `row` of the result that a tile writes, out of those it holds. Each column is written
  // by one tile, and each page of the file too, unless tiles are too narrow for that.
  [[nodiscard]] Range piece(std::int64_t number, std::int64_t row) const;

 private:
  // The first column of a row that tile `number` writes.
  [[nodiscard]] std::int64_t bound(std::int64_t number, std::int64_t row) const;

  TileShape shape_;
  std::int64_t file_offset_;
  std::int64_t page_columns_;  // that a page holds
  bool rows_are_pages_;        // pages begin at the same columns of all rows
  std::int64_t tile_columns_;
  std::int64_t count_ = 1;
  bool pages_ = false;  // what tiles write begins with a page of the file
};

// Rows of a tensor of which pieces are read.
class RowPieces {
 public:
  // Rows of `columns` elements. `mapped`: of a mapped file, whose pages may be given up after use.
  RowPieces(const Tensor& tensor, std::int64_t columns, bool mapped);
  // Of rows at `data` there are only the columns `columns`.
  RowPieces(const std::byte* data, std::int64_t rows, Range columns, std::int64_t width, bool mapped);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] const std::byte* at(std::int64_t row, std::int64_t column) const {
    return data_ + (row * columns_ + column - first_) * width_;
  }
  // Tells the system that nothing will be read but what need() says.
  void begin() const;
  // Starts to read these columns of these rows.
  void need(Range rows, Range columns) const;
  // They will not be read again soon.
  void done(Range rows, Range columns) const;
  // Bytes that are read from the disk where the pieces of `tiles` tiles are read one tile after the other.
  [[nodiscard]] std::int64_t read_bytes(std::int64_t tiles) const;

 private:
  // Whether what lies between pieces is read as well, which takes less time than to leave it out.
  [[nodiscard]] bool reads_gaps(std::int64_t columns) const;

  const std::byte* data_;
  std::int64_t rows_;
  std::int64_t first_;    // column
  std::int64_t columns_;  // that there are
  std::int64_t width_;
  bool mapped_;
};

// Some columns of some rows: what a thread works on at a time.
struct TileBlock {
  Range rows;
  Range columns;
};

// No block has more; a row of one counts as a page at least.
inline constexpr std::int64_t kBlockBytes = 1 << 20;

// The blocks of `rows` rows of a tile: each column's rows in ascending order.
class TileBlocks {
 public:
  // `columns` elements of `width` bytes a row.
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

// How many blocks ahead of the one that is worked on the system is told of: enough to keep a disk busy.
inline constexpr std::int64_t kBlocksAhead = 8;

}  // namespace tensorop
