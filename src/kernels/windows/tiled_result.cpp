#include "kernels/windows/tiled_result.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/checked.hpp"

namespace tensorop {

TiledResult::TiledResult(const WideTiles& tiles, std::int64_t rows, std::int64_t columns, std::int64_t width,
                         const Windowing& windowing, const Threads& threads)
    : tiles_(tiles), rows_(rows), columns_(columns), width_(width), windowing_(windowing), threads_(threads) {
  if (tiles.are_narrow()) scratch_.emplace(tiles, rows, columns, width, windowing);
  threads.expect(rows * columns * width * (scratch_ ? 3 : 1));
  tail_columns_ = tiles.tail_columns();
  if (tail_columns_ > 0) tails_.emplace(rows * tail_columns_ * width);
}

void TiledResult::write(std::int64_t number, const TileBlock& block, const std::byte* elements,
                        std::int64_t stride) const {
  if (scratch_) {  // whole rows of the tile: narrow ones are not split
    scratch_->write(number, block.rows, elements);
    return threads_.advance(block.rows.count * block.columns.count * width_);
  }
  if (block.columns.count == columns_) {
    windowing_.write({block.rows.first * columns_, block.rows.count * columns_}, elements);
    return threads_.advance(block.rows.count * columns_ * width_);
  }
  for (std::int64_t row = block.rows.first; row < block.rows.end(); ++row) {
    const Range piece = intersection(tiles_.piece(number, row), block.columns);
    if (piece.count == 0) continue;
    const std::int64_t from = (row - block.rows.first) * stride + piece.first - block.columns.first;
    write_piece(row, piece, elements + from * width_);
    threads_.advance(piece.count * width_);
  }
}

void TiledResult::finish() const {
  if (scratch_) scratch_->join(threads_);
  if (tails_) windowing_.write({rows_ * columns_ - tail_columns_, tail_columns_}, tail(rows_ - 1));
}

std::byte* TiledResult::tail(std::int64_t row) const {
  return tails_->data() + row * tail_columns_ * width_;
}

// Keeps the end of a row, and writes that of the row before together with the beginning of this one.
void TiledResult::write_piece(std::int64_t row, Range piece, const std::byte* elements) const {
  const std::int64_t first_of_tail = columns_ - tail_columns_;
  if (tails_ && piece.end() > first_of_tail) {
    const std::int64_t begin = std::max(piece.first, first_of_tail);
    std::memcpy(tail(row) + (begin - first_of_tail) * width_, elements + (begin - piece.first) * width_,
                to_size((piece.end() - begin) * width_));
    piece.count = begin - piece.first;
    if (piece.count == 0) return;
  }
  if (!tails_ || piece.first != 0 || row == 0)
    return windowing_.write({row * columns_ + piece.first, piece.count}, elements);
  std::vector<std::byte> joined(to_size((tail_columns_ + piece.count) * width_));
  std::memcpy(joined.data(), tail(row - 1), to_size(tail_columns_ * width_));
  std::memcpy(joined.data() + tail_columns_ * width_, elements, to_size(piece.count * width_));
  windowing_.write({row * columns_ - tail_columns_, tail_columns_ + piece.count}, joined.data());
}

}  // namespace tensorop
