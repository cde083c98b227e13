// Gathers of more rows than the random calls have: indices that are kept, and rows in a temporary file, of
// which threads work on several blocks.
#include "kernels/schedules/prepared_plan.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "base/files/scratch_file.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::kernels_gather_rows_test {
namespace {

TEST_CASE("indices that are decoded once serve every outer row", "[kernels]") {
  constexpr std::int64_t kIndices = 200'000;
  Random random(1);
  std::vector<std::int64_t> indices;
  std::vector<std::int64_t> data;
  for (std::int64_t i = 0; i < kIndices; ++i) indices.push_back(random.between(0, 49));
  for (std::int64_t i = 0; i < 100; ++i) data.push_back(i);
  const auto gather =
      gather_plan(list_of(DType::int64, data), {list_of(DType::int32, indices), {{50, 1}}, {}},
                  {{2, 0, 50}, {kIndices, 1, 0}}, 1);
  const Decision decision = choose_in_memory(gather.moves());
  CHECK(decision.keep_offsets);
  const PreparedPlan prepared(gather, {0, 2 * kIndices}, decision, Threads(2));
  std::vector<std::int64_t> out(2 * kIndices);
  prepared.fill({0, 2 * kIndices}, reinterpret_cast<std::byte*>(out.data()));
  std::vector<std::int64_t> expected = indices;
  for (const std::int64_t index : indices) expected.push_back(50 + index);
  CHECK((out == expected));
}

TEST_CASE("rows of later bands wait in a temporary file", "[kernels]") {
  constexpr std::int64_t kRowElements = 128;
  constexpr std::int64_t kDataRows = 20'000;
  constexpr std::int64_t kRows = 5'000;
  Random random(2);
  std::vector<std::int64_t> indices;
  std::vector<std::int64_t> data(kDataRows * kRowElements);
  for (std::int64_t i = 0; i < kRows; ++i) indices.push_back(random.between(0, kDataRows - 1));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::int64_t>(i);
  const Tensor table(DType::int64, {std::ssize(data)}, reinterpret_cast<const std::byte*>(data.data()),
                     nullptr);
  const auto gather = gather_plan(table, {list_of(DType::int64, indices), {{kDataRows, 1}}, {}},
                                  {{kRows, 1, 0}}, kRowElements);
  const TempDir dir;
  std::int64_t scratch = 0;
  std::vector<std::int64_t> out(kRows * kRowElements);
  BandSettings band_settings;
  band_settings.memory = 3 << 20;
  band_settings.target.anywhere = true;
  band_settings.scratch = [&](std::int64_t size) {
    scratch += size;
    return ScratchFile(dir.path(), size);
  };
  band_settings.target.write = [&](Range range, const std::byte* elements) {
    std::memcpy(out.data() + range.first, elements, static_cast<std::size_t>(range.count) * 8);
  };
  fill_bands(*gather.moves(), band_settings, Threads(2));
  CHECK(scratch > 2 << 20);
  CHECK(plan_bands(*gather.moves(), band_settings.memory).scratch_bytes == scratch);
  bool is_right = true;
  for (std::int64_t i = 0; i < std::ssize(out); ++i) {
    const std::int64_t row = indices[static_cast<std::size_t>(i / kRowElements)];
    is_right = is_right && out[static_cast<std::size_t>(i)] == row * kRowElements + i % kRowElements;
  }
  CHECK(is_right);
}

}  // namespace
}  // namespace tensorop::kernels_gather_rows_test
