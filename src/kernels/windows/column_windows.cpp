// Gathering and scattering along an outer axis of tensors that memory does not hold, a wide tile of columns
// at a time (wide_tiles.hpp).
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/columns.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "kernels/rows/row_updates.hpp"
#include "kernels/windows/tiled_result.hpp"
#include "kernels/windows/wide_tiles.hpp"
#include "kernels/windows/window_io.hpp"
#include "kernels/windows/windows.hpp"
#include "kernels/worker_buffers.hpp"

namespace tensorop {
namespace {

// A tile may take so much, however little memory there is.
constexpr std::int64_t kLeastTileBytes = 4 << 20;
// The share of memory for the blocks of a gather's result, one for each thread.
constexpr std::int64_t kBlocksShare = 16;

// Calls work(block, worker) for all blocks, and has the system read `pieces` of the blocks to come.
template <class Work>
void for_each_block(const TileBlocks& blocks, const RowPieces& pieces, const Threads& threads,
                    const Work& work) {
  const auto need = [&](std::int64_t number) {
    if (number < blocks.count()) pieces.need(blocks[number].rows, blocks[number].columns);
  };
  threads.for_each(blocks.count(), [&](std::int64_t number, int worker) {
    for (std::int64_t first = 0; number == 0 && first < kBlocksAhead; ++first) need(first);
    need(number + kBlocksAhead);
    const TileBlock block = blocks[number];
    work(block, worker);
    pieces.done(block.rows, block.columns);
  });
}

// The columns of a tile, packed: `tile.count` elements for each step along the axis.
class PackedTile {
 public:
  PackedTile(const WideTiles& tiles, std::int64_t steps, std::int64_t width)
      : steps_(steps), width_(width), storage_(tiles.most_columns() * steps * width) {
    // Elements are read and written all over it: with small pages, finding one took three times as long.
    prefer_large_pages(storage_.data(), tiles.most_columns() * steps * width);
  }

  [[nodiscard]] std::byte* data() { return storage_.data(); }
  [[nodiscard]] std::byte* at(const Range& tile, std::int64_t step, std::int64_t column) {
    return data() + (step * tile.count + column - tile.first) * width_;
  }

  void pack(const RowPieces& pieces, const Range& tile, const Threads& threads) {
    const TileBlocks blocks(steps_, tile, width_);
    for_each_block(blocks, pieces, threads, [&](const TileBlock& block, int /*worker*/) {
      const std::int64_t bytes = block.columns.count * width_;
      for (std::int64_t step = block.rows.first; step < block.rows.end(); ++step) {
        std::memcpy(at(tile, step, block.columns.first), pieces.at(step, block.columns.first),
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

// Moves along an outer axis, as tiles see them.
struct ColumnMoves {
  const RowMoves& moves;
  std::int64_t width;    // bytes of an element
  std::int64_t stride;   // columns of data
  std::int64_t steps;    // rows of data
  std::int64_t columns;  // of the indices
  std::int64_t rows;     // the same

  explicit ColumnMoves(const RowMoves& row_moves)
      : moves(row_moves),
        width(moves.row_bytes),
        stride(moves.map->column_stride()),
        steps(moves.data_rows / stride),
        columns(moves.map->columns()),
        rows(moves.map->index_steps()) {}

  // A gather has blocks of its result beside a tile.
  [[nodiscard]] WideTiles tiles(std::int64_t memory, std::int64_t file_offset) const {
    const bool scatters = moves.is_scatter();
    return {{scatters ? steps : rows, scatters ? stride : columns, width, steps * width},
            scatters ? memory : memory - memory / kBlocksShare,
            file_offset};
  }
  [[nodiscard]] RowPieces data(bool mapped) const { return {moves.data, steps, {0, stride}, width, mapped}; }
  // The indices, and the updates; those that are repeated are few.
  template <class IsMapped>
  [[nodiscard]] std::vector<RowPieces> sources(const IsMapped& is_mapped) const {
    const Tensor& indices = moves.map->decoder().indices();
    std::vector<RowPieces> out = {{indices, columns, is_mapped(indices.data())}};
    if (moves.is_scatter() && !moves.row_updates->repeats())
      out.emplace_back(moves.updates, rows, Range{0, columns}, width, is_mapped(moves.updates));
    return out;
  }
};

// A result being filled, tile by tile.
class ColumnFiller {
 public:
  ColumnFiller(const RowMoves& moves, const Windowing& windowing, const Threads& threads)
      : shape_(moves),
        moves_(moves),
        threads_(moves.is_scatter() ? threads
                                    : threads_within(windowing.memory / kBlocksShare, kBlockBytes, threads)),
        tiles_(shape_.tiles(windowing.memory, windowing.target.file_offset)),
        data_(shape_.data(windowing.is_mapped(moves.data))),
        sources_(shape_.sources(windowing.is_mapped)),
        result_(tiles_, windowing, threads_),
        packed_(std::in_place, tiles_, shape_.steps, shape_.width),
        blocks_(threads_, kBlockBytes) {
    data_.begin();
    for (const RowPieces& source : sources_) {
      source.begin();
      source_width_ += source.width();
    }
  }

  void fill() {
    threads_.expect(tiles_.shape().columns * shape_.steps * shape_.width +
                    shape_.columns * shape_.rows * source_width_);
    for (std::int64_t i = 0; i < tiles_.count(); ++i) {
      const std::int64_t number = result_.turn(i);
      const Range tile = tiles_.tile(number);
      packed_->pack(data_, tile, threads_);
      moves_.is_scatter() ? scatter(number, tile) : gather(number, tile);
    }
    packed_.reset();  // its memory is for putting rows together
    result_.finish();
  }

 private:
  void gather(std::int64_t number, const Range& tile) {
    const std::int64_t width = shape_.width;
    const TileBlocks blocks(shape_.rows, tile, std::max(width, source_width_));
    for_each_block(blocks, sources_[0], threads_, [&](const TileBlock& block, int worker) {
      std::byte* const made = blocks_.of(worker);
      std::byte* out = made;
      moves_.map->locate_columns(block.rows, block.columns, tile,
                                 [&](std::int64_t /*row*/, std::int64_t count, const std::int64_t* offsets) {
                                   gather_rows(out, packed_->data(), offsets, count, width,
                                               skipped_rows(moves_));
                                   out += count * width;
                                 });
      threads_.advance(block.rows.count * block.columns.count * source_width_);
      result_.write(number, block, made, block.columns.count);
    });
  }

  // Every block of updates in its turn, its columns shared out among threads: updates of an element are
  // applied in their order.
  void scatter(std::int64_t number, const Range& tile) {
    const Range updated = intersection(tile, {0, shape_.columns});
    const TileBlocks blocks(shape_.rows, updated, source_width_);
    const std::int64_t strips = std::min<std::int64_t>(threads_.count(), updated.count);
    for (std::int64_t b = 0; updated.count > 0 && b < blocks.count(); ++b) {
      const TileBlock block = blocks[b];
      threads_.for_each(strips, [&](std::int64_t strip, int /*worker*/) {
        for (std::int64_t next = b == 0 ? 0 : b + kBlocksAhead; next <= b + kBlocksAhead; ++next) {
          if (next < blocks.count()) need(blocks[next], strip, strips);
        }
        if (const Range mine = share(block.columns, strip, strips); mine.count > 0)
          update_columns(moves_, block.rows, mine, tile, packed_->data());
      });
      for (const RowPieces& source : sources_) source.done(block.rows, block.columns);
      threads_.advance(block.rows.count * block.columns.count * source_width_);
    }
    const TileBlocks made(shape_.steps, tile, shape_.width);
    threads_.for_each(made.count(), [&](std::int64_t b, int /*worker*/) {
      const TileBlock block = made[b];
      result_.write(number, block, packed_->at(tile, block.rows.first, block.columns.first), tile.count);
    });
  }

  static Range share(const Range& range, std::int64_t part, std::int64_t parts) {
    const std::int64_t first = part_bound(range.count, part, parts);
    return {range.first + first, part_bound(range.count, part + 1, parts) - first};
  }

  // Starts to read a thread's share of a block.
  void need(const TileBlock& block, std::int64_t strip, std::int64_t strips) const {
    for (const RowPieces& source : sources_) source.need(share(block.rows, strip, strips), block.columns);
  }

  ColumnMoves shape_;
  const RowMoves& moves_;
  Threads threads_;
  WideTiles tiles_;
  RowPieces data_;
  std::vector<RowPieces> sources_;
  std::int64_t source_width_ = 0;  // bytes of an element of each of them
  TiledResult result_;
  std::optional<PackedTile> packed_;
  WorkerBuffers blocks_;  // of a gather's result
};

}  // namespace

bool fits_columns(const RowMoves& moves, std::int64_t memory) {
  return ColumnMoves(moves).steps * moves.row_bytes <= std::max(memory, kLeastTileBytes);
}

WindowPlan plan_column_windows(const RowMoves& moves, std::int64_t memory) {
  const ColumnMoves shape(moves);
  const WideTiles tiles = shape.tiles(memory, 0);
  const std::int64_t column_bytes = tiles.shape().rows * shape.width;
  WindowPlan out = {.count = tiles.count(),
                    .window_bytes = tiles.most_columns() * column_bytes,
                    .read_bytes = shape.data(false).read_bytes(tiles.count()),
                    .scratch_bytes = tiles.are_narrow() ? tiles.shape().columns * column_bytes : 0};
  for (const RowPieces& source : shape.sources([](const std::byte*) { return false; }))
    out.read_bytes += source.read_bytes(tiles.count());
  return out;
}

void fill_column_windows(const RowMoves& moves, const Windowing& windowing, const Threads& threads) {
  ColumnFiller(moves, windowing, threads).fill();
}

}  // namespace tensorop
