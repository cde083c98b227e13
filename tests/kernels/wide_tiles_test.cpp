// Tiles of columns for tensors that memory does not hold: who holds and who writes which columns.
#include "kernels/wide_tiles.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kPage = 4096;

// Tiles of one shape: each column of each row belongs to one of them, and memory holds each.
void check_tiles(const TileShape& shape, std::int64_t memory, std::int64_t file_offset) {
  CAPTURE(shape.columns, shape.width, shape.column_bytes, shape.result_columns, memory, file_offset);
  const WideTiles tiles(shape, memory, file_offset);
  REQUIRE(tiles.count() >= 1);
  const std::int64_t most = std::max(memory, shape.column_bytes);
  CHECK(tiles.most_columns() * shape.column_bytes <= most);
  // Pages of the file that rows share are not looked at.
  const bool aligned = memory / shape.column_bytes >= 3 * kPage / shape.width;
  bool right = true;
  for (const std::int64_t row : {0, 1, 2, 7, 1000}) {
    std::int64_t next = 0;
    for (std::int64_t number = 0; number < tiles.count(); ++number) {
      const Range tile = tiles.tile(number);
      const Range piece = tiles.piece(number, row);
      right = right && tile.count <= tiles.most_columns() && piece.count >= 0;
      right = right && piece.first == next && piece.first >= tile.first && piece.end() <= tile.end();
      const std::int64_t byte = file_offset + (row * shape.result_columns + piece.first) * shape.width;
      const bool begins_page = byte % kPage == 0 || number == 0 || piece.count == 0;
      right = right && (!aligned || begins_page || file_offset % shape.width != 0);
      next = piece.end();
    }
    right = right && next == shape.columns;
  }
  CHECK(right);
}

TEST_CASE("each column of a row is written by one tile, each page of the file too", "[kernels]") {
  Random random(41);
  for (const std::int64_t columns : {1, 5, 1023, 1024, 1025, 16384, 50001}) {
    for (const std::int64_t width : {1, 2, 4, 8, 16}) {
      for (const std::int64_t steps : {1, 3, 4096}) {
        const TileShape shape = {columns, width, steps * width, columns};
        const std::int64_t all = columns * shape.column_bytes;
        const std::int64_t least = columns < 2000 ? 1 : all / 500;
        for (const std::int64_t memory : {least, all / 7, all / 2, all - 1, all, 2 * all}) {
          for (const std::int64_t offset : {0, 128, 80, 3}) check_tiles(shape, memory, offset);
        }
        for (int i = 0; i < 10; ++i)
          check_tiles(shape, random.between(least, all), 16 * random.between(0, 600));
      }
    }
  }
}

TEST_CASE("memory for all columns makes one tile, half of it two", "[kernels]") {
  const TileShape shape = {16384, 4, 4 * 16384, 16384};
  CHECK(WideTiles(shape, std::int64_t{1} << 30, 128).count() == 1);
  CHECK(WideTiles(shape, (std::int64_t{1} << 30) - 1, 128).count() == 2);
  // Of 4096 columns a page of 1024 is held back for columns that neighbours have in common.
  CHECK(WideTiles(shape, std::int64_t{1} << 28, 128).count() == 6);
  CHECK(WideTiles(shape, 1, 128).count() == 16384);
}

TEST_CASE("blocks of a tile have each element once, the rows of a column in ascending order", "[kernels]") {
  for (const std::int64_t rows : {1, 2, 300, 5000}) {
    for (const Range columns : {Range{0, 1}, Range{9, 0}, Range{3, 7}, Range{100, 70000}, Range{5, 600001}}) {
      if (rows * columns.count > 50'000'000) continue;
      for (const std::int64_t width : {1, 4, 16}) {
        CAPTURE(rows, columns.first, columns.count, width);
        const TileBlocks blocks(rows, columns, width);
        std::map<std::int64_t, std::int64_t> next;  // row, by the first column of a block
        std::int64_t elements = 0;
        bool right = true;
        for (std::int64_t number = 0; number < blocks.count(); ++number) {
          const TileBlock block = blocks[number];
          right = right && block.rows.count > 0 && block.columns.count > 0;
          right = right && block.columns.first >= columns.first && block.columns.end() <= columns.end();
          right = right && block.rows.count * block.columns.count * width <= kBlockBytes;
          right = right && block.rows.first == next[block.columns.first];
          next[block.columns.first] = block.rows.end();
          elements += block.rows.count * block.columns.count;
        }
        CHECK(right);
        CHECK(elements == rows * columns.count);
        CHECK(std::ranges::all_of(next, [&](const auto& entry) { return entry.second == rows; }));
      }
    }
  }
}

}  // namespace
}  // namespace tensorop
