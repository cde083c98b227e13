// Rows distributed over windows, against lists filled one row at a time.
#include "kernels/distribution.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

struct Case {
  std::int64_t rows;
  std::int64_t row_bytes;
  std::int64_t targets;
  std::int64_t window_rows;
};

// The target and the bytes of each row of a run.
using Rows = std::vector<std::pair<std::int64_t, std::string>>;

Rows rows_of(const Distribution::Run& run, std::int64_t row_bytes) {
  Rows out;
  for (std::int64_t i = 0; i < run.count; ++i) {
    out.emplace_back(run.targets[i], std::string(reinterpret_cast<const char*>(run.rows) + i * row_bytes,
                                                 static_cast<std::size_t>(row_bytes)));
  }
  return out;
}

std::unique_ptr<Locator> locator_of(const Tensor& indices, std::int64_t targets) {
  return make_locator({indices, {{targets, 1}}, {true, OutOfBounds::drop}},
                      AxisGeometry{1, 1, targets, indices.size()});
}

TEST_CASE("rows are distributed over windows in their order", "[kernels]") {
  Random random(1);
  const TempDir dir;
  // More rows than a chunk has at least, windows without rows, a last window with fewer targets.
  for (const Case& c : {Case{5000, 3, 100, 7}, Case{5000, 8, 100, 1}, Case{3100, 16, 40, 64},
                        Case{20, 5000, 9, 2}, Case{1, 1, 1000, 10}, Case{70000, 1, 5000, 4999}}) {
    std::vector<std::int64_t> indices;
    std::string bytes;
    for (std::int64_t i = 0; i < c.rows; ++i) indices.push_back(random.between(0, c.targets + c.targets / 8));
    for (std::int64_t i = 0; i < c.rows * c.row_bytes; ++i)
      bytes += static_cast<char>(random.between(0, 255));
    const std::int64_t windows = ceil_div(c.targets, c.window_rows);
    std::vector<Rows> expected(static_cast<std::size_t>(windows));
    for (std::int64_t i = 0; i < c.rows; ++i) {
      const std::int64_t target = indices[static_cast<std::size_t>(i)];
      if (target >= c.targets) continue;
      expected[static_cast<std::size_t>(target / c.window_rows)].emplace_back(
          target % c.window_rows,
          bytes.substr(static_cast<std::size_t>(i * c.row_bytes), static_cast<std::size_t>(c.row_bytes)));
    }
    const auto locator = locator_of(list_of(DType::int64, indices), c.targets);
    for (const int threads : {1, 2, 7}) {
      for (const std::int64_t memory : {1, 1 << 16, 1 << 24}) {
        for (const bool in_file : {false, true}) {
          CAPTURE(c.rows, c.row_bytes, c.targets, c.window_rows, threads, memory, in_file);
          std::int64_t asked = 0;
          const auto scratch = [&](std::int64_t size) {
            asked = size;
            return ScratchFile(dir.path(), size);
          };
          const Distribution distribution(
              {*locator, reinterpret_cast<const std::byte*>(bytes.data()), c.row_bytes, c.targets},
              c.window_rows, in_file ? scratch : std::function<ScratchFile(std::int64_t)>(), memory,
              Threads(threads));
          CHECK(distribution.is_mapped() == in_file);
          CHECK(asked <= Distribution::bytes(c.rows, c.row_bytes, windows));
          for (std::int64_t window = 0; window < windows; ++window) {
            const Distribution::Run run = distribution.run(window);
            CHECK(reinterpret_cast<std::uintptr_t>(run.targets) % 64 == 0);
            CHECK(reinterpret_cast<std::uintptr_t>(run.rows) % 64 == 0);
            CHECK((rows_of(run, c.row_bytes) == expected[static_cast<std::size_t>(window)]));
          }
        }
      }
    }
  }
}

TEST_CASE("indices that change while rows are distributed are an error", "[kernels]") {
  const TempDir dir;
  for (const std::int64_t after : {0, 9, 10}) {  // 10: out of range, which drops the row
    std::vector<std::int64_t> indices = {1, 8, 3, 4};
    const Tensor tensor(DType::int64, {4}, reinterpret_cast<const std::byte*>(indices.data()), nullptr);
    const auto locator = locator_of(tensor, 10);
    const std::string bytes = "abcd";
    // The file for the runs is made when the rows are counted, and before they are distributed.
    const auto scratch = [&](std::int64_t size) {
      indices[0] = after;
      indices[1] = after;
      return ScratchFile(dir.path(), size);
    };
    CHECK_THROWS_WITH(Distribution({*locator, reinterpret_cast<const std::byte*>(bytes.data()), 1, 10}, 5,
                                   scratch, 1, Threads(1)),
                      "indices changed while they were read");
  }
}

}  // namespace
}  // namespace tensorop
