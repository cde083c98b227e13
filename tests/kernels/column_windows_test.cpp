// Gathering and scattering along an outer axis in wide tiles: the same as range by range, whatever memory
// there is.
#include "kernels/column_windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "base/input_file.hpp"
#include "base/scratch_file.hpp"
#include "kernels/gather_rows.hpp"
#include "kernels/scatter_rows.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

// Sizes of a call along axis 0 of data.
struct Sizes {
  Shape data;
  Shape indices;
};

// Tiles of a column, of a few, of pages, and one that holds all.
const std::vector<Sizes> kSizes = {
    {{1, 2}, {1, 2}},       {{7, 5}, {4, 5}},       {{7, 5}, {40, 3}},        {{3, 9000}, {5, 9000}},
    {{6, 8192}, {3, 8192}}, {{2, 9001}, {9, 8999}}, {{2000, 11}, {1500, 11}}, {{4, 3, 2100}, {6, 3, 2100}},
};

// Random bytes of `dtype`, those of floats small numbers of very different size: the order of a sum shows.
Tensor random_tensor(Random& random, DType dtype, const Shape& shape) {
  auto storage = std::make_shared<Storage>(count(shape) * element_size(dtype));
  for (std::int64_t i = 0; i < count(shape) * element_size(dtype); ++i)
    storage->data()[i] = static_cast<std::byte>(random.between(0, 255));
  if (dtype == DType::float32) {
    for (std::int64_t i = 0; i < count(shape); ++i) {
      const float value = std::ldexp(static_cast<float>(random.between(1, 1 << 24)),
                                     static_cast<int>(random.between(-20, 20)));
      std::memcpy(storage->data() + i * 4, &value, sizeof value);
    }
  }
  return {dtype, shape, storage};
}

Tensor random_indices(Random& random, DType dtype, const Shape& shape, std::int64_t axis, bool skips) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count(shape); ++i)
    values.push_back(random.between(-axis, axis - (skips ? 0 : 1)));
  return tensor_of(dtype, shape, values);
}

IndexDecoder decoder_of(const Tensor& indices, const Shape& data, OutOfBounds policy) {
  return {indices, {{data[0], row_major_strides(data)[0]}}, {true, policy}};
}

// What a gather along axis 0 is, range by range.
std::vector<std::byte> gathered(const Tensor& data, const IndexDecoder& decoder,
                                const ElementGeometry& geometry) {
  const std::int64_t elements = count(geometry.indices_shape);
  const auto plan = gather_plan({data, decoder, geometry, 1, elements});
  std::vector<std::byte> out(static_cast<std::size_t>(elements * element_size(data.dtype())));
  plan->fill({0, elements}, out.data());
  return out;
}

// What fill() hands to write(): each element once.
struct Written {
  TempDir dir;
  std::vector<std::byte> bytes;
  std::vector<std::uint8_t> times;
  std::int64_t width;

  explicit Written(const Shape& shape, std::int64_t element)
      : bytes(static_cast<std::size_t>(count(shape) * element)),
        times(static_cast<std::size_t>(count(shape))),
        width(element) {}
  [[nodiscard]] Windowing windowing(std::int64_t memory, std::int64_t file_offset, bool mapped) {
    Windowing out;
    out.memory = memory;
    out.write = [this](Range range, const std::byte* elements) {
      std::memcpy(bytes.data() + range.first * width, elements,
                  static_cast<std::size_t>(range.count * width));
      for (std::int64_t i = range.first; i < range.end(); ++i) ++times[static_cast<std::size_t>(i)];
    };
    out.anywhere = true;
    out.file_offset = file_offset;
    out.is_mapped = [mapped](const std::byte*) { return mapped; };
    out.scratch = [this](std::int64_t size) { return ScratchFile(dir.path().string(), size); };
    return out;
  }
  [[nodiscard]] bool is_complete() const {
    return std::ranges::all_of(times, [](std::uint8_t n) { return n == 1; });
  }
};

// Some memory for a result of so many bytes, and the offset of its elements.
struct Setting {
  std::int64_t memory;
  std::int64_t file_offset;
  int threads;
};
std::vector<Setting> settings_of(Random& random, std::int64_t bytes) {
  std::vector<Setting> out = {{1, 128, 1}, {bytes / 3, 128, 2}, {bytes / 2, 80, 7}, {8 * bytes, 128, 3}};
  for (int i = 0; i < 4; ++i) {
    out.push_back(
        {random.between(1, 2 * bytes), 16 * random.between(0, 300), static_cast<int>(random.between(1, 7))});
  }
  return out;
}

TEST_CASE("a gather in tiles of columns is the same as range by range", "[kernels]") {
  Random random(42);
  for (const auto& [data_shape, indices_shape] : kSizes) {
    for (const DType dtype : {DType::int8, DType::float16, DType::float32, DType::complex128}) {
      const bool skips = random.between(0, 1) == 1;
      CAPTURE(data_shape, indices_shape, name(dtype), skips);
      const Tensor data = random_tensor(random, dtype, data_shape);
      const DType index_dtype = random.between(0, 1) == 0 ? DType::int32 : DType::int64;
      const Tensor indices = random_indices(random, index_dtype, indices_shape, data_shape[0], skips);
      const IndexDecoder decoder =
          decoder_of(indices, data_shape, skips ? OutOfBounds::zero : OutOfBounds::error);
      const ElementGeometry geometry = {indices_shape, data_shape, 0};
      const std::vector<std::byte> expected = gathered(data, decoder, geometry);

      const auto locator = make_locator(decoder, geometry);
      REQUIRE(locator->columns() > 0);
      const ColumnGather gather = {data, *locator};
      for (const Setting& setting : settings_of(random, data.bytes())) {
        CAPTURE(setting.memory, setting.file_offset, setting.threads);
        Written written(indices_shape, element_size(dtype));
        gather.fill(written.windowing(setting.memory, setting.file_offset, false), Threads(setting.threads));
        CHECK((written.bytes == expected));
        CHECK(written.is_complete());
      }
    }
  }
}

TEST_CASE("tiles of mapped files give up pages, which are read again", "[kernels]") {
  Random random(44);
  const TempDir dir;
  const Shape shape = {30, 9000};
  const Tensor data = random_tensor(random, DType::float32, shape);
  const Tensor indices = random_indices(random, DType::int64, shape, shape[0], false);
  const auto mapped = [&](const Tensor& tensor) {
    const std::string path = dir.file(std::string(name(tensor.dtype())));
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(tensor.data()), tensor.bytes());
    const auto file = InputFile::open(path).mapping();
    return Tensor(tensor.dtype(), tensor.shape(), file->bytes().data(), file);
  };
  const ElementGeometry geometry = {shape, shape, 0};
  const auto locator = make_locator(decoder_of(mapped(indices), shape, OutOfBounds::error), geometry);
  const Tensor mapped_data = mapped(data);
  const ColumnGather gather = {mapped_data, *locator};
  Written written(shape, 4);
  gather.fill(written.windowing(data.bytes() / 2, 128, true), Threads(3));
  CHECK((written.bytes == gathered(data, decoder_of(indices, shape, OutOfBounds::error), geometry)));
}

TEST_CASE("a scatter in tiles of columns is the same as range by range", "[kernels]") {
  using enum Reduction;
  struct Kind {
    Reduction reduction;
    bool use_init_val = true;
    bool repeats = false;
  };
  Random random(43);
  for (const auto& [data_shape, indices_shape] : kSizes) {
    for (const Kind& kind : {Kind{none}, Kind{add}, Kind{sub, false}, Kind{mean}, Kind{mean, false},
                             Kind{sub, true, true}, Kind{sub, false, true}}) {
      CAPTURE(data_shape, indices_shape, static_cast<int>(kind.reduction), kind.use_init_val, kind.repeats);
      const DType dtype = random.between(0, 2) == 0 ? DType::int64 : DType::float32;
      const Tensor data = random_tensor(random, dtype, data_shape);
      const Shape updates_shape =
          kind.repeats ? Shape(indices_shape.begin() + 1, indices_shape.end()) : indices_shape;
      const Tensor updates = random_tensor(random, dtype, updates_shape);
      const Tensor indices = random_indices(random, DType::int32, indices_shape, data_shape[0], true);
      ScatterRowsSpec spec = {data,
                              updates,
                              decoder_of(indices, data_shape, OutOfBounds::drop),
                              ElementGeometry{indices_shape, data_shape, 0},
                              1,
                              kind.reduction,
                              kind.use_init_val};
      if (kind.repeats) {
        spec.updates_shape = indices_shape;
        spec.update_strides = row_major_strides(indices_shape);
        spec.update_strides[0] = 0;
      }
      const auto locator = make_locator(spec.decoder, spec.geometry);
      REQUIRE(locator->columns() > 0);
      const RowUpdates row_updates(spec);
      const auto plan = scatter_plan(spec);
      plan->prepare(Threads(1));
      std::vector<std::byte> expected(static_cast<std::size_t>(data.bytes()));
      plan->fill({0, data.size()}, expected.data());

      const ColumnScatter scatter = {data, updates, *locator, row_updates};
      for (const Setting& setting : settings_of(random, data.bytes())) {
        CAPTURE(setting.memory, setting.file_offset, setting.threads);
        Written written(data_shape, element_size(dtype));
        scatter.fill(written.windowing(setting.memory, setting.file_offset, false), Threads(setting.threads));
        CHECK((written.bytes == expected));
        CHECK(written.is_complete());
      }
    }
  }
}

// Of 8 MiB each: neither a tile of one in 1 MiB of memory.
TEST_CASE("columns that memory does not hold are not made into tiles", "[kernels]") {
  constexpr std::int64_t kMemory = 1 << 20;
  const Shape shape = {std::int64_t{1} << 20, 3};
  Random random(44);
  const Tensor data = random_tensor(random, DType::int64, shape);
  const Tensor indices = random_indices(random, DType::int32, shape, shape[0], false);
  const IndexDecoder decoder = decoder_of(indices, shape, OutOfBounds::error);
  const ElementGeometry geometry = {shape, shape, 0};
  for (const bool is_scatter : {false, true}) {
    CAPTURE(is_scatter);
    ScatterRowsSpec spec{.data = data,
                         .updates = data,
                         .decoder = decoder,
                         .geometry = geometry,
                         .row_elements = 1,
                         .reduction = Reduction::add};
    const auto plan =
        is_scatter ? scatter_plan(std::move(spec)) : gather_plan({data, decoder, geometry, 1, count(shape)});
    REQUIRE(plan->random_access()->kind == RandomAccess::Kind::columns);
    std::vector<std::byte> expected(static_cast<std::size_t>(data.bytes()));
    plan->fill({0, data.size()}, expected.data());
    CHECK(plan->plan_windows(kMemory, true).window_bytes <= kMemory);
    Written written(shape, sizeof(std::int64_t));
    plan->set_access(Access::windows);
    plan->fill_windows(written.windowing(kMemory, 128, false), Threads(3));
    CHECK(written.is_complete());
    CHECK(written.bytes == expected);
  }
}

}  // namespace
}  // namespace tensorop
