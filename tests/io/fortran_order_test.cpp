// Blocks that change the order of an array, in memory and block by block, compared with one element at a
// time.
#include "io/array/fortran_order.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <vector>

#include "base/checked.hpp"
#include "support/catch.hpp"

namespace tensorop::io_fortran_order_test {
namespace {

std::vector<std::byte> some_bytes(std::int64_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<std::byte> bytes(to_size(size));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Element by element, by the definition of Fortran order.
std::vector<std::byte> expected(const Shape& shape, std::int64_t width,
                                const std::vector<std::byte>& stored) {
  std::vector<std::byte> out(stored.size());
  for (std::int64_t i = 0; i < count(shape); ++i) {
    const auto index = coordinates(i, shape);
    std::int64_t position = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) position = position * shape[axis] + index[axis];
    std::memcpy(&out[to_size(i * width)], &stored[to_size(position * width)], to_size(width));
  }
  return out;
}

const std::vector<Shape> kShapes = {{},
                                    {1},
                                    {7},
                                    {1, 5, 1},
                                    {2, 3},
                                    {16, 16},
                                    {17, 33},
                                    {1000, 3},
                                    {3, 1000},
                                    {130, 1, 140},
                                    {5, 6, 7},
                                    {2, 40, 50, 3},
                                    {40, 2, 3, 50},
                                    {70, 5, 70},
                                    {1100, 1050},
                                    {3, 2000, 5},
                                    {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                                    {3, 4, 5, 6, 7}};

}  // namespace

TEST_CASE("an array in Fortran order is brought into row-major order in memory", "[release][fortran_order]") {
  for (const Shape& shape : kShapes) {
    for (const std::int64_t width : {1, 2, 4, 8, 16}) {
      const auto stored = some_bytes(count(shape) * width);
      const auto want = expected(shape, width, stored);
      for (const int threads : {1, 3}) {
        CAPTURE(to_string(shape), width, threads);
        std::vector<std::byte> out(stored.size(), std::byte{0xEE});
        reorder(Reordering::of_fortran_order(shape), width, 0, stored.data(), out.data(), Threads(threads));
        CHECK((out == want));
      }
    }
  }
}

TEST_CASE("an array in Fortran order is brought into row-major order block by block, its numbers swapped",
          "[release][fortran_order]") {
  struct Widths {
    std::int64_t element;
    std::int64_t number;  // that is swapped; 0: none
  };
  for (const Shape& shape : kShapes) {
    for (const auto& [width, number] : {Widths{1, 0}, {4, 0}, {4, 4}, {8, 4}, {16, 8}}) {
      const auto stored = some_bytes(count(shape) * width);
      auto want = expected(shape, width, stored);
      for (std::int64_t i = 0; number != 0 && i < to_int64(want.size()); i += number) {
        std::reverse(want.begin() + i, want.begin() + i + number);
      }
      for (const std::int64_t memory : {1, 1000, 4099, 65536, 1 << 24}) {
        if (memory == 1 && count(shape) > 10000) continue;
        for (const int threads : {1, 3}) {
          CAPTURE(to_string(shape), width, number, memory, threads);
          std::vector<std::byte> out(stored.size(), std::byte{0xEE});
          std::atomic<std::int64_t> written = 0;
          const auto write = [&](std::int64_t offset, std::span<const std::byte> bytes) {
            written += to_int64(bytes.size());
            std::memcpy(out.data() + offset, bytes.data(), bytes.size());
          };
          reorder_blocks(Reordering::of_fortran_order(shape), width, number, stored.data(), memory, write,
                         Threads(threads));
          CHECK((out == want));
          CHECK(written == to_int64(stored.size()));
        }
      }
    }
  }
}

}  // namespace tensorop::io_fortran_order_test
