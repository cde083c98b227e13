// Gathers along an outer axis of tensors that do not fit in memory, a wide tile of columns at a time
// (wide_tiles.hpp).
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "base/files/scratch_file.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/schedules/wide_tiles.hpp"
#include "kernels/worker_buffers.hpp"

namespace tensorop {
namespace {

// A tile may take this many bytes, however little memory there is.
constexpr std::int64_t kLeastTileBytes = 4 << 20;
// The share of memory for the blocks of a gather's result, one for each thread.
constexpr std::int64_t kBlocksShare = 16;

// Bytes of each tile that are read at a time: a disk reads more at a time no faster.
constexpr std::int64_t kJoinedTileBytes = 64 << 10;
// Least number of bytes of rows that are assembled at a time.
constexpr std::int64_t kLeastJoined = 1 << 20;

// The result of a gather along an outer axis, written in tiles of columns (wide_tiles.hpp).
//
// The end of each row may share a page with the next row, which belongs to another tile. Therefore the last
// tile is computed first, and its ends of rows wait in memory until the first tile writes whole pages.
// Otherwise the system would read again each page that two tiles write: three times as long as all
// else. If tiles have less than a few pages of each row, every tile would write a part of each page. Such
// tiles are written to a temporary file, each as a whole, and rows are assembled at the end. Wider tiles
// need no file. For 1 GiB in rows of 64 KiB in 6 tiles, a file adds 1.6 GiB of reads and 1 GiB of writes, and
// saves 86,000 writes of segments: at 8.5 us a request and 0.55 ns a byte 1.1 times as long; 2 tiles: 1.3.
class TiledResult {
 public:
  // `tiles`, `band_settings` and `threads` outlive this object. Throws Error if a temporary file is needed
  // and there is no space.
  TiledResult(const WideTiles& tiles, const BandSettings& band_settings, const Threads& threads)
      : tiles_(tiles),
        rows_(tiles.shape().rows),
        columns_(tiles.shape().columns),
        width_(tiles.shape().width),
        settings_(band_settings),
        threads_(threads),
        tail_columns_(tiles.tail_columns()) {
    if (tiles.are_narrow()) {
      scratch_.emplace(band_settings.scratch(rows_ * columns_ * width_));
      mapped_ = scratch_->map().data();
    }
    threads.expect(rows_ * columns_ * width_ * (scratch_ ? 3 : 1));
    if (tail_columns_ > 0) tails_.emplace(rows_ * tail_columns_ * width_);
  }

  // The number of the tile to compute in turn `i`.
  [[nodiscard]] std::int64_t turn(std::int64_t i) const { return i == 0 ? tiles_.count() - 1 : i - 1; }

  // Writes the part of a block that belongs to tile `number`; `elements` are the block's. Any thread.
  void write(std::int64_t number, const TileBlock& block, const std::byte* elements) const {
    const std::int64_t bytes = block.rows.count * block.columns.count * width_;
    if (scratch_) {  // whole rows of the tile: narrow tiles are not split
      scratch_->write_at(scratch_offset(number, block.rows.first), {elements, to_size(bytes)});
      return threads_.advance(bytes);
    }
    if (block.columns.count == columns_) {
      settings_.target.write({block.rows.first * columns_, block.rows.count * columns_}, elements);
      return threads_.advance(bytes);
    }
    for (std::int64_t row = block.rows.first; row < block.rows.end(); ++row) {
      const Range segment = intersection(tiles_.segment(number, row), block.columns);
      if (segment.count == 0) continue;
      const std::int64_t from =
          (row - block.rows.first) * block.columns.count + segment.first - block.columns.first;
      write_segment(row, segment, elements + from * width_);
      threads_.advance(segment.count * width_);
    }
  }

  // Completes the result after all tiles.
  void finish() const {
    if (scratch_) join();
    if (tails_) settings_.target.write({rows_ * columns_ - tail_columns_, tail_columns_}, tail(rows_ - 1));
  }

 private:
  [[nodiscard]] std::byte* tail(std::int64_t row) const {
    return tails_->data() + row * tail_columns_ * width_;
  }

  // Keeps the end of a row in memory, and writes the end of the previous row with the beginning of this one.
  void write_segment(std::int64_t row, Range segment, const std::byte* elements) const {
    const std::int64_t first_of_tail = columns_ - tail_columns_;
    if (tails_ && segment.end() > first_of_tail) {
      const std::int64_t begin = std::max(segment.first, first_of_tail);
      std::memcpy(tail(row) + (begin - first_of_tail) * width_, elements + (begin - segment.first) * width_,
                  to_size((segment.end() - begin) * width_));
      segment.count = begin - segment.first;
      if (segment.count == 0) return;
    }
    if (!tails_ || segment.first != 0 || row == 0)
      return settings_.target.write({row * columns_ + segment.first, segment.count}, elements);
    std::vector<std::byte> joined(to_size((tail_columns_ + segment.count) * width_));
    std::memcpy(joined.data(), tail(row - 1), to_size(tail_columns_ * width_));
    std::memcpy(joined.data() + tail_columns_ * width_, elements, to_size(segment.count * width_));
    settings_.target.write({row * columns_ - tail_columns_, tail_columns_ + segment.count}, joined.data());
  }

  // The byte offset in the temporary file of a row of a tile. Tiles follow each other, each in row order.
  [[nodiscard]] std::int64_t scratch_offset(std::int64_t number, std::int64_t row) const {
    const Range tile = tiles_.tile(number);
    return (rows_ * tile.first + row * tile.count) * width_;
  }

  [[nodiscard]] SplitRows scratch_tile(std::int64_t number) const {
    return {mapped_ + scratch_offset(number, 0), rows_, tiles_.tile(number), width_, true};
  }

  void join() const {
    const Threads threads = threads_within(settings_.memory / 2, kLeastJoined, threads_);
    const std::int64_t row_bytes = columns_ * width_;
    const std::int64_t most = std::max(kLeastJoined, settings_.memory / (2 * threads.count()));
    const std::int64_t bytes = std::clamp(tiles_.count() * kJoinedTileBytes, kLeastJoined, most);
    const std::int64_t step = std::clamp<std::int64_t>(bytes / row_bytes, 1, rows_);
    const auto rows_of = [&](std::int64_t number) {
      return Range{number * step, std::min(step, rows_ - number * step)};
    };
    const auto need = [&](std::int64_t number) {
      for (std::int64_t t = 0; t < tiles_.count(); ++t) scratch_tile(t).need(rows_of(number), tiles_.tile(t));
    };
    WorkerBuffers buffers(threads, step * row_bytes);
    for_each_ahead(ceil_div(rows_, step), threads.count(), threads, need,
                   [&](std::int64_t number, int worker) {
                     std::byte* const joined = buffers.buffer_of(worker);
                     const Range rows = rows_of(number);
                     for (std::int64_t t = 0; t < tiles_.count(); ++t) {
                       const SplitRows from = scratch_tile(t);
                       const Range columns = tiles_.tile(t);
                       for (std::int64_t i = 0; i < rows.count; ++i) {
                         std::memcpy(joined + (i * columns_ + columns.first) * width_,
                                     from.at(rows.first + i, columns.first), to_size(columns.count * width_));
                       }
                       from.done(rows, columns);
                     }
                     settings_.target.write({rows.first * columns_, rows.count * columns_}, joined);
                     threads.advance(2 * rows.count * row_bytes);
                   });
  }

  const WideTiles& tiles_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t width_;
  const BandSettings& settings_;
  const Threads& threads_;
  std::optional<ScratchFile> scratch_;
  const std::byte* mapped_ = nullptr;  // the mapped temporary file
  std::int64_t tail_columns_;
  mutable std::optional<Storage> tails_;  // the ends of all rows
};

// Calls work(block, worker) for all blocks, and lets the system read `segments` of the blocks ahead.
template <class Work>
void for_each_block(const TileBlocks& blocks, const SplitRows& segments, const Threads& threads,
                    const Work& work) {
  const auto need = [&](std::int64_t number) { segments.need(blocks[number].rows, blocks[number].columns); };
  for_each_ahead(blocks.count(), kBlocksAhead, threads, need, [&](std::int64_t number, int worker) {
    const TileBlock block = blocks[number];
    work(block, worker);
    segments.done(block.rows, block.columns);
  });
}

// The columns of a tile, packed: `tile.count` elements for each step along the axis.
class PackedTile {
 public:
  PackedTile(const WideTiles& tiles, std::int64_t steps, std::int64_t width)
      : steps_(steps), width_(width), storage_(tiles.most_columns() * steps * width) {
    // Elements are accessed all over the tile; with small pages, finding one took three times as long.
    prefer_large_pages(storage_.data(), tiles.most_columns() * steps * width);
  }

  [[nodiscard]] std::byte* data() { return storage_.data(); }
  [[nodiscard]] std::byte* at(const Range& tile, std::int64_t step, std::int64_t column) {
    return data() + (step * tile.count + column - tile.first) * width_;
  }

  void pack(const SplitRows& segments, const Range& tile, const Threads& threads) {
    const TileBlocks blocks(steps_, tile, width_);
    for_each_block(blocks, segments, threads, [&](const TileBlock& block, int /*worker*/) {
      const std::int64_t bytes = block.columns.count * width_;
      for (std::int64_t step = block.rows.first; step < block.rows.end(); ++step) {
        std::memcpy(at(tile, step, block.columns.first), segments.at(step, block.columns.first),
                    to_size(bytes));
      }
      threads.advance(block.rows.count * bytes);
    });
  }

 private:
  std::int64_t steps_;
  std::int64_t width_;
  Storage storage_;
};

// The moves of a gather along an outer axis, in units of tiles.
struct ColumnMoves {
  const RowMoves& moves;
  std::int64_t width;    // bytes of an element
  std::int64_t stride;   // elements in a row of data
  std::int64_t steps;    // rows of data
  std::int64_t columns;  // elements in a row of the indices
  std::int64_t rows;     // rows of the indices

  explicit ColumnMoves(const RowMoves& row_moves)
      : moves(row_moves),
        width(moves.row_bytes()),
        stride(moves.map.column_stride()),
        steps(moves.data_rows() / stride),
        columns(moves.map.columns()),
        rows(moves.map.index_steps()) {}

  // A part of the memory is for blocks of the result.
  [[nodiscard]] WideTiles tiles(std::int64_t memory, std::int64_t file_offset) const {
    return {{rows, columns, width, steps * width}, memory - memory / kBlocksShare, file_offset};
  }
  [[nodiscard]] SplitRows data(bool mapped) const {
    return {moves.data.data(), steps, {0, stride}, width, mapped};
  }
  [[nodiscard]] SplitRows indices(bool mapped) const {
    return {moves.map.decoder().indices(), columns, mapped};
  }
};

// Fills a result tile by tile.
class ColumnFiller {
 public:
  ColumnFiller(const RowMoves& moves, const BandSettings& band_settings, const Threads& threads)
      : shape_(moves),
        moves_(moves),
        threads_(threads_within(band_settings.memory / kBlocksShare, kBlockBytes, threads)),
        tiles_(shape_.tiles(band_settings.memory, band_settings.target.file_offset)),
        data_(shape_.data(band_settings.is_mapped(moves.data.data()))),
        indices_(shape_.indices(band_settings.is_mapped(moves.map.decoder().indices().data()))),
        result_(tiles_, band_settings, threads_),
        packed_(std::in_place, tiles_, shape_.steps, shape_.width),
        blocks_(threads_, kBlockBytes) {
    data_.begin();
    indices_.begin();
  }

  void fill() {
    threads_.expect(tiles_.shape().columns * shape_.steps * shape_.width +
                    shape_.columns * shape_.rows * indices_.width());
    for (std::int64_t i = 0; i < tiles_.count(); ++i) {
      const std::int64_t number = result_.turn(i);
      const Range tile = tiles_.tile(number);
      packed_->pack(data_, tile, threads_);
      gather(number, tile);
    }
    packed_.reset();  // frees its memory for the assembly of rows
    result_.finish();
  }

 private:
  void gather(std::int64_t number, const Range& tile) {
    const std::int64_t width = shape_.width;
    const TileBlocks blocks(shape_.rows, tile, std::max(width, indices_.width()));
    for_each_block(blocks, indices_, threads_, [&](const TileBlock& block, int worker) {
      std::byte* const made = blocks_.buffer_of(worker);
      std::byte* out = made;
      moves_.map.locate_columns(block.rows, block.columns, tile,
                                [&](std::int64_t /*row*/, std::int64_t count, const std::int64_t* offsets) {
                                  gather_rows(out, packed_->data(), offsets, count, width,
                                              skipped_rows(moves_));
                                  out += count * width;
                                });
      threads_.advance(block.rows.count * block.columns.count * indices_.width());
      result_.write(number, block, made);
    });
  }

  ColumnMoves shape_;
  const RowMoves& moves_;
  Threads threads_;
  WideTiles tiles_;
  SplitRows data_;
  SplitRows indices_;
  TiledResult result_;
  std::optional<PackedTile> packed_;
  WorkerBuffers blocks_;  // blocks of the result
};

}  // namespace

bool fits_columns(const RowMoves& moves, std::int64_t memory) {
  return ColumnMoves(moves).steps * moves.row_bytes() <= std::max(memory, kLeastTileBytes);
}

BandPlan plan_column_bands(const RowMoves& moves, std::int64_t memory) {
  const ColumnMoves shape(moves);
  const WideTiles tiles = shape.tiles(memory, 0);
  const std::int64_t column_bytes = tiles.shape().rows * shape.width;
  return {.in_tiles = true,
          .count = tiles.count(),
          .band_bytes = tiles.most_columns() * column_bytes,
          .read_bytes =
              shape.data(false).read_bytes(tiles.count()) + shape.indices(false).read_bytes(tiles.count()),
          .scratch_bytes = tiles.are_narrow() ? tiles.shape().columns * column_bytes : 0};
}

void fill_column_bands(const RowMoves& moves, const BandSettings& band_settings, const Threads& threads) {
  ColumnFiller(moves, band_settings, threads).fill();
}

}  // namespace tensorop
