#include "kernels/windows/tiled_result.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/checked.hpp"
#include "kernels/windows/window_io.hpp"
#include "kernels/worker_buffers.hpp"

namespace tensorop {
namespace {

// Bytes of each tile that are read at a time: a disk reads them as fast as more.
constexpr std::int64_t kJoinedTileBytes = 64 << 10;
// Bytes of rows that are put together at a time.
constexpr std::int64_t kLeastJoined = 1 << 20;

}  // namespace

TiledResult::TiledResult(const WideTiles& tiles, const Windowing& windowing, const Threads& threads)
    : tiles_(tiles),
      rows_(tiles.shape().rows),
      columns_(tiles.shape().columns),
      width_(tiles.shape().width),
      windowing_(windowing),
      threads_(threads),
      tail_columns_(tiles.tail_columns()) {
  if (tiles.are_narrow()) {
    scratch_.emplace(windowing.scratch(rows_ * columns_ * width_));
    mapped_ = scratch_->map().data();
  }
  threads.expect(rows_ * columns_ * width_ * (scratch_ ? 3 : 1));
  if (tail_columns_ > 0) tails_.emplace(rows_ * tail_columns_ * width_);
}

void TiledResult::write(std::int64_t number, const TileBlock& block, const std::byte* elements,
                        std::int64_t stride) const {
  const std::int64_t bytes = block.rows.count * block.columns.count * width_;
  if (scratch_) {  // whole rows of the tile: narrow ones are not split
    scratch_->write_at(scratch_offset(number, block.rows.first), {elements, to_size(bytes)});
    return threads_.advance(bytes);
  }
  if (block.columns.count == columns_) {
    windowing_.target.write({block.rows.first * columns_, block.rows.count * columns_}, elements);
    return threads_.advance(bytes);
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
  if (scratch_) join();
  if (tails_) windowing_.target.write({rows_ * columns_ - tail_columns_, tail_columns_}, tail(rows_ - 1));
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
    return windowing_.target.write({row * columns_ + piece.first, piece.count}, elements);
  std::vector<std::byte> joined(to_size((tail_columns_ + piece.count) * width_));
  std::memcpy(joined.data(), tail(row - 1), to_size(tail_columns_ * width_));
  std::memcpy(joined.data() + tail_columns_ * width_, elements, to_size(piece.count * width_));
  windowing_.target.write({row * columns_ - tail_columns_, tail_columns_ + piece.count}, joined.data());
}

std::int64_t TiledResult::scratch_offset(std::int64_t number, std::int64_t row) const {
  const Range tile = tiles_.tile(number);
  return (rows_ * tile.first + row * tile.count) * width_;
}

RowPieces TiledResult::scratch_tile(std::int64_t number) const {
  return {mapped_ + scratch_offset(number, 0), rows_, tiles_.tile(number), width_, true};
}

void TiledResult::join() const {
  const Threads threads = threads_within(windowing_.memory / 2, kLeastJoined, threads_);
  const std::int64_t row_bytes = columns_ * width_;
  const std::int64_t most = std::max(kLeastJoined, windowing_.memory / (2 * threads.count()));
  const std::int64_t bytes = std::clamp(tiles_.count() * kJoinedTileBytes, kLeastJoined, most);
  const std::int64_t step = std::clamp<std::int64_t>(bytes / row_bytes, 1, rows_);
  const auto rows_of = [&](std::int64_t number) {
    const std::int64_t first = std::min(rows_, number * step);
    return Range{first, std::min(step, rows_ - first)};
  };
  const auto need = [&](std::int64_t number) {
    const Range rows = rows_of(number);
    for (std::int64_t t = 0; rows.count > 0 && t < tiles_.count(); ++t)
      scratch_tile(t).need(rows, tiles_.tile(t));
  };
  WorkerBuffers buffers(threads, step * row_bytes);
  threads.for_each(ceil_div(rows_, step), [&](std::int64_t number, int worker) {
    std::byte* const joined = buffers.of(worker);
    for (std::int64_t first = 0; number == 0 && first < threads.count(); ++first) need(first);
    need(number + threads.count());
    const Range rows = rows_of(number);
    for (std::int64_t t = 0; t < tiles_.count(); ++t) {
      const RowPieces from = scratch_tile(t);
      const Range columns = tiles_.tile(t);
      for (std::int64_t i = 0; i < rows.count; ++i) {
        std::memcpy(joined + (i * columns_ + columns.first) * width_, from.at(rows.first + i, columns.first),
                    to_size(columns.count * width_));
      }
      from.done(rows, columns);
    }
    windowing_.target.write({rows.first * columns_, rows.count * columns_}, joined);
    threads.advance(2 * rows.count * row_bytes);
  });
}

}  // namespace tensorop
