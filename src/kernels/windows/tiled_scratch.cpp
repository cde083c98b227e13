#include "kernels/windows/tiled_scratch.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/checked.hpp"
#include "kernels/windows/result_windows.hpp"

namespace tensorop {
namespace {

// Bytes of each tile that are read at a time: a disk reads them as fast as more.
constexpr std::int64_t kRunBytes = 64 << 10;
// Bytes of rows that are put together at a time.
constexpr std::int64_t kLeastBytes = 1 << 20;

}  // namespace

TiledScratch::TiledScratch(const WideTiles& tiles, std::int64_t rows, std::int64_t columns,
                           std::int64_t width, const Windowing& windowing)
    : tiles_(tiles),
      rows_(rows),
      columns_(columns),
      width_(width),
      windowing_(windowing),
      file_(windowing.scratch(rows * columns * width)),
      mapped_(file_.map().data()) {}

std::int64_t TiledScratch::offset(std::int64_t number, std::int64_t row) const {
  const Range tile = tiles_.tile(number);
  return (rows_ * tile.first + row * tile.count) * width_;
}

RowPieces TiledScratch::tile(std::int64_t number) const {
  return {mapped_ + offset(number, 0), rows_, tiles_.tile(number), width_, true};
}

void TiledScratch::write(std::int64_t number, Range rows, const std::byte* elements) const {
  const std::int64_t bytes = rows.count * tiles_.tile(number).count * width_;
  file_.write_at(offset(number, rows.first), {elements, to_size(bytes)});
}

void TiledScratch::join(const Threads& all_threads) const {
  const Threads threads = threads_within(windowing_.memory / 2, kLeastBytes, all_threads);
  const std::int64_t row_bytes = columns_ * width_;
  const std::int64_t most = std::max(kLeastBytes, windowing_.memory / (2 * threads.count()));
  const std::int64_t bytes = std::clamp(tiles_.count() * kRunBytes, kLeastBytes, most);
  const std::int64_t step = std::clamp<std::int64_t>(bytes / row_bytes, 1, rows_);
  const auto rows_of = [&](std::int64_t number) {
    const std::int64_t first = std::min(rows_, number * step);
    return Range{first, std::min(step, rows_ - first)};
  };
  const auto need = [&](std::int64_t number) {
    const Range rows = rows_of(number);
    for (std::int64_t t = 0; rows.count > 0 && t < tiles_.count(); ++t) tile(t).need(rows, tiles_.tile(t));
  };
  std::vector<std::unique_ptr<Storage>> buffers(to_size(threads.count()));
  threads.for_each(ceil_div(rows_, step), [&](std::int64_t number, int worker) {
    auto& buffer = buffers[static_cast<std::size_t>(worker)];
    if (!buffer) buffer = std::make_unique<Storage>(step * row_bytes);
    for (std::int64_t first = 0; number == 0 && first < threads.count(); ++first) need(first);
    need(number + threads.count());
    const Range rows = rows_of(number);
    for (std::int64_t t = 0; t < tiles_.count(); ++t) {
      const RowPieces from = tile(t);
      const Range columns = tiles_.tile(t);
      for (std::int64_t i = 0; i < rows.count; ++i) {
        std::memcpy(buffer->data() + (i * columns_ + columns.first) * width_,
                    from.at(rows.first + i, columns.first), to_size(columns.count * width_));
      }
      from.done(rows, columns);
    }
    windowing_.write({rows.first * columns_, rows.count * columns_}, buffer->data());
    threads.advance(2 * rows.count * row_bytes);
  });
}

}  // namespace tensorop
