#include "kernels/windows/column_windows.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/row_updates.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/windows/result_windows.hpp"
#include "kernels/windows/tiled_result.hpp"
#include "kernels/windows/wide_tiles.hpp"

namespace tensorop {
namespace {

// A tile may take so much, however little memory there is.
constexpr std::int64_t kLeastTileBytes = 4 << 20;
// The share of memory for the blocks of a gather's result, one for each thread.
constexpr std::int64_t kBlocksShare = 8;

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
    // Elements are read and written all over it.
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

// The rows of data along the axis.
RowPieces data_pieces(const RowMoves& moves, bool mapped) {
  const std::int64_t stride = moves.map->column_stride();
  return {moves.data, moves.data_rows / stride, {0, stride}, moves.row_bytes, mapped};
}

struct GatherTiles {
  std::int64_t width;
  std::int64_t steps;    // of data
  std::int64_t columns;  // of the indices and the result
  std::int64_t rows;     // the same

  explicit GatherTiles(const RowMoves& gather)
      : width(gather.row_bytes),
        steps(gather.data_rows / gather.map->column_stride()),
        columns(gather.map->columns()),
        rows(gather.map->index_steps()) {}
  [[nodiscard]] WideTiles tiles(std::int64_t memory, std::int64_t file_offset) const {
    return {{columns, width, steps * width, columns, rows}, memory - memory / kBlocksShare, file_offset};
  }
};

WindowPlan plan_gather(const RowMoves& gather, std::int64_t memory) {
  const GatherTiles shape(gather);
  const WideTiles tiles = shape.tiles(memory, 0);
  const std::int64_t column_bytes = shape.rows * shape.width;
  return {.count = tiles.count(),
          .window_bytes = tiles.most_columns() * column_bytes,
          .read_bytes =
              data_pieces(gather, false).read_bytes(tiles.count()) +
              RowPieces(gather.map->decoder().indices(), shape.columns, false).read_bytes(tiles.count()),
          .scratch_bytes = tiles.are_narrow() ? shape.columns * column_bytes : 0};
}

void fill_gather(const RowMoves& gather, const Windowing& windowing, const Threads& all_threads) {
  const Threads threads = threads_within(windowing.memory / kBlocksShare, kBlockBytes, all_threads);
  const RowMap& map = *gather.map;
  const GatherTiles shape(gather);
  const std::int64_t width = shape.width;
  const WideTiles tiles = shape.tiles(windowing.memory, windowing.file_offset);
  const RowPieces pieces = data_pieces(gather, windowing.is_mapped(gather.data));
  const RowPieces indices(map.decoder().indices(), shape.columns,
                          windowing.is_mapped(map.decoder().indices().data()));
  pieces.begin();
  indices.begin();
  threads.expect(shape.columns * (shape.steps * width + indices.rows() * indices.width()));
  const TiledResult result(tiles, indices.rows(), shape.columns, width, windowing, threads);
  std::optional<PackedTile> packed(std::in_place, tiles, shape.steps, width);
  std::vector<std::unique_ptr<Storage>> buffers(to_size(threads.count()));
  for (std::int64_t i = 0; i < tiles.count(); ++i) {
    const std::int64_t number = result.turn(i);
    const Range tile = tiles.tile(number);
    packed->pack(pieces, tile, threads);
    const TileBlocks blocks(indices.rows(), tile, std::max(width, indices.width()));
    for_each_block(blocks, indices, threads, [&](const TileBlock& block, int worker) {
      auto& buffer = buffers[static_cast<std::size_t>(worker)];
      if (!buffer) buffer = std::make_unique<Storage>(kBlockBytes);
      std::byte* out = buffer->data();
      map.locate_columns(block.rows, block.columns, tile,
                         [&](std::int64_t /*row*/, std::int64_t count, const std::int64_t* offsets) {
                           gather_rows(out, packed->data(), offsets, count, width, map.skips());
                           out += count * width;
                         });
      threads.advance(block.rows.count * block.columns.count * indices.width());
      result.write(number, block, buffer->data(), block.columns.count);
    });
  }
  packed.reset();  // its memory is for putting rows together
  result.finish();
}

// Sorting updates by target takes about so much memory for each.
constexpr std::int64_t kSortBytes = 48;

struct ScatterTiles {
  std::int64_t width;
  std::int64_t columns;  // of data and the result
  std::int64_t steps;
  std::int64_t updated;  // columns that have updates
  std::int64_t rows;     // of indices
  // Updates of a target are applied together: they are kept, with the offsets of their targets.
  bool keeps;
  std::int64_t kept_width;  // of an update; repeated updates are not kept

  explicit ScatterTiles(const RowMoves& scatter)
      : width(scatter.row_bytes),
        columns(scatter.map->column_stride()),
        steps(scatter.data_rows / columns),
        updated(scatter.map->columns()),
        rows(scatter.map->rows() / updated),
        keeps(scatter.row_updates->by_row()),
        kept_width(scatter.row_updates->repeats() ? 0 : width) {}
  [[nodiscard]] std::int64_t column_bytes() const {
    constexpr auto kOffset = to_int64(sizeof(std::int64_t));
    return steps * width + (keeps ? rows * (kOffset + kept_width) : 0);
  }
  [[nodiscard]] WideTiles tiles(std::int64_t memory, std::int64_t file_offset) const {
    // The rest is for sorting.
    const std::int64_t most = keeps ? memory - memory / 4 : memory;
    return {{columns, width, column_bytes(), columns, steps}, most, file_offset};
  }
};

RowPieces update_pieces(const RowMoves& scatter, const ScatterTiles& shape, bool mapped) {
  return {scatter.updates, shape.rows, {0, shape.updated}, shape.width, mapped};
}

// The updates of a tile, and the offsets in the tile that they go to: a row for each step of the indices.
class KeptUpdates {
 public:
  // For tiles of which at most `most_columns` have updates.
  KeptUpdates(const ScatterTiles& shape, std::int64_t most_columns)
      : shape_(shape),
        offsets_(shape.rows * most_columns * to_int64(sizeof(std::int64_t))),
        updates_(shape.rows * most_columns * shape.kept_width) {}

  // The next tile has updates in these columns.
  void begin(const Range& columns) { columns_ = columns; }
  // Update number `row`, in row order of all indices, and those after it.
  void keep(std::int64_t row, std::int64_t count, const std::int64_t* offsets, const std::byte* updates) {
    const std::int64_t at = position(row / shape_.updated, row % shape_.updated);
    std::memcpy(offsets_.data() + at * to_int64(sizeof *offsets), offsets, to_size(count) * sizeof *offsets);
    std::memcpy(updates_.data() + at * shape_.kept_width, updates, to_size(count * shape_.kept_width));
  }
  // Applies those of some columns to the tile, which has `elements` elements.
  void apply(const Range& columns, const RowUpdates& row_updates, std::byte* tile,
             std::int64_t elements) const {
    const auto* offsets = reinterpret_cast<const std::int64_t*>(offsets_.data());
    row_updates.update({{0, elements}, 0, 1, 0}, tile, updates_.data(), [&](const auto& take) {
      Move moves[kIndexBlock];
      std::int64_t count = 0;
      for (std::int64_t step = 0; step < shape_.rows; ++step) {
        for (std::int64_t column = columns.first; column < columns.end(); ++column) {
          const std::int64_t at = position(step, column);
          moves[count++] = {offsets[at], shape_.kept_width != 0 ? at : step * shape_.updated + column};
          if (count == kIndexBlock) take(moves, std::exchange(count, 0));
        }
      }
      take(moves, count);
    });
  }

 private:
  [[nodiscard]] std::int64_t position(std::int64_t step, std::int64_t column) const {
    return step * columns_.count + column - columns_.first;
  }

  const ScatterTiles& shape_;
  Storage offsets_;
  Storage updates_;
  Range columns_;
};

// A scatter being filled, tile by tile.
class ScatterRun {
 public:
  ScatterRun(const RowMoves& scatter, const Windowing& windowing, const Threads& threads)
      : scatter_(scatter),
        windowing_(windowing),
        threads_(threads),
        shape_(scatter),
        tiles_(shape_.tiles(windowing.memory, windowing.file_offset)),
        data_(data_pieces(scatter, windowing.is_mapped(scatter.data))),
        result_(tiles_, shape_.steps, shape_.columns, shape_.width, windowing, threads),
        packed_(std::in_place, tiles_, shape_.steps, shape_.width) {
    const Tensor& indices = scatter.map->decoder().indices();
    sources_.emplace_back(indices, shape_.updated, windowing.is_mapped(indices.data()));
    // Those that are repeated are few.
    if (!scatter.row_updates->repeats())
      sources_.push_back(update_pieces(scatter, shape_, windowing.is_mapped(scatter.updates)));
    data_.begin();
    for (const RowPieces& source : sources_) {
      source.begin();
      source_width_ += source.width();
    }
    if (shape_.keeps) kept_.emplace(shape_, std::min(shape_.updated, tiles_.most_columns()));
  }

  void fill() {
    threads_.expect(shape_.columns * shape_.steps * shape_.width +
                    shape_.updated * shape_.rows * source_width_);
    for (std::int64_t i = 0; i < tiles_.count(); ++i) {
      const std::int64_t number = result_.turn(i);
      const Range tile = tiles_.tile(number);
      packed_->pack(data_, tile, threads_);
      const Range updated = intersection(tile, {0, shape_.updated});
      if (updated.count > 0) update(tile, updated);
      if (updated.count > 0 && kept_) apply_kept(tile, updated);
      write(number, tile);
    }
    kept_.reset();
    packed_.reset();  // memory for putting rows together
    result_.finish();
  }

 private:
  // Every block in its turn, its columns shared out among threads: updates of an element are applied in their
  // order.
  void update(const Range& tile, const Range& updated) {
    if (kept_) kept_->begin(updated);
    const TileBlocks blocks(shape_.rows, updated, source_width_);
    const std::int64_t strips = std::min<std::int64_t>(threads_.count(), updated.count);
    for (std::int64_t number = 0; number < blocks.count(); ++number) {
      const TileBlock block = blocks[number];
      threads_.for_each(strips, [&](std::int64_t strip, int /*worker*/) {
        for (std::int64_t next = number == 0 ? 0 : number + kBlocksAhead; next <= number + kBlocksAhead;
             ++next) {
          if (next < blocks.count()) need(blocks[next], strip, strips);
        }
        update_block(tile, {block.rows, share(block.columns, strip, strips)});
      });
      for (const RowPieces& source : sources_) source.done(block.rows, block.columns);
      threads_.advance(block.rows.count * block.columns.count * source_width_);
    }
  }

  static Range share(const Range& range, std::int64_t part, std::int64_t parts) {
    const std::int64_t first = part_bound(range.count, part, parts);
    return {range.first + first, part_bound(range.count, part + 1, parts) - first};
  }

  // Starts to read a thread's share of a block.
  void need(const TileBlock& block, std::int64_t strip, std::int64_t strips) const {
    for (const RowPieces& source : sources_) source.need(share(block.rows, strip, strips), block.columns);
  }

  void update_block(const Range& tile, const TileBlock& block) {
    const auto locate = [&](const auto& take) {
      if (block.columns.count > 0) scatter_.map->locate_columns(block.rows, block.columns, tile, take);
    };
    if (kept_) {
      return locate([&](std::int64_t row, std::int64_t count, const std::int64_t* offsets) {
        kept_->keep(row, count, offsets, scatter_.updates + row * shape_.kept_width);
      });
    }
    scatter_.row_updates->update(all_of(tile), packed_->data(), nullptr, [&](const auto& take) {
      Move moves[kIndexBlock];
      locate([&](std::int64_t row, std::int64_t count, const std::int64_t* offsets) {
        for (std::int64_t i = 0; i < count; ++i) moves[i] = {offsets[i], row + i};
        take(moves, count);
      });
    });
  }

  void apply_kept(const Range& tile, const Range& updated) {
    const std::int64_t most = windowing_.memory / 4 / (threads_.count() * kSortBytes * shape_.rows);
    const std::int64_t columns = std::clamp<std::int64_t>(most, 1, updated.count);
    threads_.for_each(ceil_div(updated.count, columns), [&](std::int64_t part, int /*worker*/) {
      const std::int64_t first = part * columns;
      kept_->apply({updated.first + first, std::min(columns, updated.count - first)}, *scatter_.row_updates,
                   packed_->data(), all_of(tile).targets.count);
    });
  }

  void write(std::int64_t number, const Range& tile) {
    const TileBlocks blocks(shape_.steps, tile, shape_.width);
    threads_.for_each(blocks.count(), [&](std::int64_t block_number, int /*worker*/) {
      const TileBlock block = blocks[block_number];
      result_.write(number, block, packed_->at(tile, block.rows.first, block.columns.first), tile.count);
    });
  }

  [[nodiscard]] Segment all_of(const Range& tile) const { return {{0, shape_.steps * tile.count}, 0, 1, 0}; }

  const RowMoves& scatter_;
  const Windowing& windowing_;
  const Threads& threads_;
  ScatterTiles shape_;
  WideTiles tiles_;
  RowPieces data_;
  std::vector<RowPieces> sources_;  // indices, and updates
  std::int64_t source_width_ = 0;   // bytes of an element of each of them
  TiledResult result_;
  std::optional<PackedTile> packed_;
  std::optional<KeptUpdates> kept_;
};

WindowPlan plan_scatter(const RowMoves& scatter, std::int64_t memory) {
  const ScatterTiles shape(scatter);
  const WideTiles tiles = shape.tiles(memory, 0);
  WindowPlan out = {
      .count = tiles.count(),
      .window_bytes = tiles.most_columns() * shape.steps * shape.width,
      .read_bytes =
          data_pieces(scatter, false).read_bytes(tiles.count()) +
          RowPieces(scatter.map->decoder().indices(), shape.updated, false).read_bytes(tiles.count()),
      .scratch_bytes = tiles.are_narrow() ? scatter.data_bytes() : 0};
  if (!scatter.row_updates->repeats())
    out.read_bytes += update_pieces(scatter, shape, false).read_bytes(tiles.count());
  return out;
}

}  // namespace

bool fits_columns(const RowMoves& moves, std::int64_t memory) {
  const std::int64_t column_bytes =
      moves.is_scatter() ? ScatterTiles(moves).column_bytes() : GatherTiles(moves).steps * moves.row_bytes;
  return column_bytes <= std::max(memory, kLeastTileBytes);
}

WindowPlan plan_column_windows(const RowMoves& moves, std::int64_t memory) {
  return moves.is_scatter() ? plan_scatter(moves, memory) : plan_gather(moves, memory);
}

void fill_column_windows(const RowMoves& moves, const Windowing& windowing, const Threads& threads) {
  moves.is_scatter() ? ScatterRun(moves, windowing, threads).fill() : fill_gather(moves, windowing, threads);
}

}  // namespace tensorop
