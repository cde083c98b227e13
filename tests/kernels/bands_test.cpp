// Rows that go to bands of the result: how many bands, what memory holds, and indices that change
// meanwhile. Random calls by every access hold the results.
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/files/scratch_file.hpp"
#include "kernels/rows/plan.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/schedules/prepared_plan.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::kernels_bands_test {
namespace {

TEST_CASE("the bands of a scatter are known without reading", "[kernels]") {
  constexpr std::int64_t kMiB = 1 << 20;
  // 4 GiB in rows of 512 bytes; 600,000 of them are updated.
  const Tensor indices(DType::int64, {600'000});
  const auto scatter = scatter_plan({Tensor(DType::float32, {1 << 30}),
                                     Tensor(DType::float32, {600'000 * 128}),
                                     {indices, {{1 << 23, 1}}, {}},
                                     {{600'000, 1, 0}},
                                     128});
  const BandPlan bands = plan_bands(*scatter.moves(), 256 * kMiB);
  CHECK(bands.count == 256);
  CHECK(bands.band_bytes == 16 * kMiB);
  CHECK(bands.read_bytes == 4096 * kMiB + 600'000 * 512);
  CHECK(bands.scratch_bytes == 600'000 * 516);
  const BandPlan larger = plan_bands(*scatter.moves(), 16384 * kMiB);
  CHECK(larger.count == 128);
  CHECK(larger.scratch_bytes == 0);
}

// A gather along axis 0, in bands of columns, against range by range.
void check_columns(const Shape& data_shape, const Shape& indices_shape, std::int64_t memory,
                   std::int64_t file_offset) {
  CAPTURE(data_shape, indices_shape, memory, file_offset);
  Random random(44);
  const auto numbers = [&](DType dtype, const Shape& shape, std::int64_t least, std::int64_t most) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < count(shape); ++i) values.push_back(random.between(least, most));
    return tensor_of(dtype, shape, values);
  };
  const Tensor data = numbers(DType::int64, data_shape, 0, 1 << 30);
  const Tensor indices = numbers(DType::int32, indices_shape, -data_shape[0], data_shape[0] - 1);
  const IndexDecoder decoder = {indices, {{data_shape[0], data_shape[1]}}, {}};
  const std::vector<RowDim> dims = {{indices_shape[0], indices_shape[1], 0}, {indices_shape[1], 1, 1}};
  REQUIRE(RowMap(decoder, dims).columns() > 0);
  const auto plan = gather_plan(data, decoder, dims, 1);
  const std::int64_t elements = indices.size();
  std::vector<std::byte> expected(static_cast<std::size_t>(elements * 8));
  PreparedPlan(plan).fill({0, elements}, expected.data());
  const TempDir dir;
  std::vector<std::byte> out(expected.size());
  std::atomic<std::int64_t> written = 0;
  BandSettings band_settings;
  band_settings.memory = memory;
  band_settings.target.anywhere = true;
  band_settings.target.file_offset = file_offset;
  band_settings.is_mapped = [](const std::byte*) { return false; };
  band_settings.scratch = [&](std::int64_t size) { return ScratchFile(dir.path().string(), size); };
  band_settings.target.write = [&](Range range, const std::byte* from) {
    std::memcpy(out.data() + range.first * 8, from, static_cast<std::size_t>(range.count * 8));
    written += range.count;
  };
  fill_column_bands(*plan.moves(), band_settings, Threads(3));
  CHECK(written == elements);
  CHECK((out == expected));
}

// Rows that are whole pages of the file and others, at offsets within a page.
TEST_CASE("tiles of columns share no page of the file, and have all columns", "[kernels]") {
  for (const auto& [data, indices] : std::vector<std::pair<Shape, Shape>>{
           {{7, 5}, {40, 3}}, {{3, 9000}, {5, 9000}}, {{6, 8192}, {3, 8192}}, {{2, 9001}, {9, 8999}}}) {
    const std::int64_t bytes = count(data) * 8;
    for (const std::int64_t memory : {bytes / 3, bytes / 2, bytes - 1, 8 * bytes}) {
      for (const std::int64_t file_offset : {128, 80}) check_columns(data, indices, memory, file_offset);
    }
  }
}

// Columns of 8 MiB each: 1 MiB of memory does not hold a tile of one.
TEST_CASE("columns that memory does not hold are not made into tiles", "[release][kernels]") {
  const Shape shape = {std::int64_t{1} << 20, 3};
  check_columns(shape, shape, 1 << 20, 128);
  const Tensor data(DType::int64, shape);
  const IndexDecoder decoder = {Tensor(DType::int32, shape), {{shape[0], shape[1]}}, {}};
  const auto gather = gather_plan(data, decoder, {{shape[0], shape[1], 0}, {shape[1], 1, 1}}, 1);
  CHECK(random_access(*gather.moves(), facts_of(*gather.moves()))->kind == RandomAccess::Kind::columns);
  CHECK(plan_bands(*gather.moves(), 1 << 20).band_bytes <= 1 << 20);
}

}  // namespace
}  // namespace tensorop::kernels_bands_test
