#include "kernels/schedules/wide_tiles.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// Tiles of fewer pages do not begin at a page: too large a part of them would be read twice.
constexpr std::int64_t kLeastPages = 3;
// The share of memory that the ends of rows may take.
constexpr std::int64_t kTailShare = 8;
// Reading this many bytes in sequence takes no longer than another request.
constexpr std::int64_t kSmallGap = 8 << 10;

}  // namespace

WideTiles::WideTiles(const TileShape& shape, std::int64_t memory, std::int64_t file_offset)
    : shape_(shape),
      file_offset_(file_offset),
      page_columns_(ceil_div(kPage, shape.width)),
      rows_are_pages_(shape.columns * shape.width % kPage == 0),
      tile_columns_(std::max<std::int64_t>(1, memory / shape.column_bytes)) {
  if (tile_columns_ >= shape_.columns) {
    tile_columns_ = shape_.columns;
    return;
  }
  // If pages begin at the same columns of all rows, the last tile also holds the ends of rows.
  const std::int64_t tails = shape.rows * (file_offset % kPage);
  const std::int64_t in_pages =
      rows_are_pages_ ? (memory - 2 * tails) / shape.column_bytes / page_columns_ * page_columns_
                      : tile_columns_ - page_columns_;
  pages_ = in_pages >= kLeastPages * page_columns_ && (!rows_are_pages_ || tails <= memory / kTailShare);
  if (pages_) tile_columns_ = in_pages;
  count_ = ceil_div(shape_.columns, tile_columns_);
  const std::int64_t unit = pages_ && rows_are_pages_ ? page_columns_ : 1;
  tile_columns_ = ceil_div(ceil_div(shape_.columns, count_), unit) * unit;
}

std::int64_t WideTiles::bound(std::int64_t number, std::int64_t row) const {
  if (number == 0 || number == count_) return number == 0 ? 0 : shape_.columns;
  const std::int64_t column = number * tile_columns_;
  if (!pages_) return column;
  return column - (file_offset_ + (row * shape_.columns + column) * shape_.width) % kPage / shape_.width;
}

std::int64_t WideTiles::tail_columns() const {
  return pages_ && rows_are_pages_ ? file_offset_ % kPage / shape_.width : 0;
}

Range WideTiles::tile(std::int64_t number) const {
  if (!pages_ || rows_are_pages_) return segment(number, 0);
  // The columns at which pages begin differ from row to row.
  const std::int64_t first = std::max<std::int64_t>(0, number * tile_columns_ - page_columns_);
  return {first, std::min(shape_.columns, (number + 1) * tile_columns_) - first};
}

std::int64_t WideTiles::most_columns() const {
  const std::int64_t more = rows_are_pages_ ? tail_columns() : pages_ ? page_columns_ : 0;
  return std::min(shape_.columns, tile_columns_ + more);
}

Range WideTiles::segment(std::int64_t number, std::int64_t row) const {
  const std::int64_t first = bound(number, row);
  return {first, bound(number + 1, row) - first};
}

SplitRows::SplitRows(const Tensor& tensor, std::int64_t columns, bool mapped)
    : SplitRows(tensor.data(), tensor.size() / columns, {0, columns}, element_size(tensor.dtype()), mapped) {}

SplitRows::SplitRows(const std::byte* data, std::int64_t rows, Range columns, std::int64_t width, bool mapped)
    : data_(data),
      rows_(rows),
      first_(columns.first),
      columns_(columns.count),
      width_(width),
      mapped_(mapped) {}

void SplitRows::begin() const {
  expect_random(data_, rows_ * columns_ * width_);
}

bool SplitRows::reads_gaps(std::int64_t columns) const {
  return (columns_ - columns) * width_ <= kSmallGap;
}

void SplitRows::need(Range rows, Range columns) const {
  const std::int64_t bytes = columns.count * width_;
  if (rows.count > 0 && reads_gaps(columns.count)) {
    return will_need(at(rows.first, columns.first), (rows.count - 1) * columns_ * width_ + bytes);
  }
  for (std::int64_t row = rows.first; row < rows.end(); ++row) will_need(at(row, columns.first), bytes);
}

void SplitRows::done(Range rows, Range columns) const {
  if (!mapped_ || rows.count == 0) return;
  if (rows.count == 1) return done_with(at(rows.first, columns.first), columns.count * width_);
  done_with(at(rows.first, first_), rows.count * columns_ * width_);
}

std::int64_t SplitRows::read_bytes(std::int64_t tiles) const {
  const std::int64_t once = rows_ * columns_ * width_;
  return reads_gaps(ceil_div(columns_, tiles)) ? tiles * once : once;
}

TileBlocks::TileBlocks(std::int64_t rows, Range columns, std::int64_t width)
    : rows_(rows), columns_(columns) {
  const std::int64_t row_bytes = std::max(kPage, columns.count * width);
  block_rows_ = std::max<std::int64_t>(1, kBlockBytes / row_bytes);
  segment_columns_ = std::clamp<std::int64_t>(columns.count, 1, kBlockBytes / width);
  segments_ = ceil_div(columns.count, segment_columns_);
}

TileBlock TileBlocks::operator[](std::int64_t number) const {
  const std::int64_t row = number / segments_ * block_rows_;
  const std::int64_t column = number % segments_ * segment_columns_;
  return {{row, std::min(block_rows_, rows_ - row)},
          {columns_.first + column, std::min(segment_columns_, columns_.count - column)}};
}

}  // namespace tensorop
