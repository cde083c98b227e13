// Gathering rows: any slice against the offsets one by one, with groups that are brought into cache and
// without.
#include "kernels/gather_rows.hpp"

#include <algorithm>
#include <span>

#include "kernels/filled_in_windows.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop {
namespace {

struct Case {
  AxisGeometry geometry;
  std::int64_t row_elements;
  DType dtype;
};

TEST_CASE("any slice of a gather has the rows at its offsets, and so has the whole in windows", "[kernels]") {
  Random random(11);
  const std::vector<Case> cases = {
      {{1, 1, 100, 700}, 1, DType::float32},    // no groups
      {{2, 3, 64, 300}, 1, DType::float32},     // dense groups, long runs
      {{2, 3, 64, 40}, 1, DType::int8},         // dense groups, short runs
      {{2, 3, 64, 3}, 4, DType::int64},         // sparse groups
      {{1, 4, 32, 150}, 3, DType::complex128},  // rows of several elements
      {{1, 2, 9, 200}, 5, DType::float16},      // an odd width
      {{1, 3, 600000, 9}, 1, DType::float32},   // groups too large to keep
      {{1, 2, 30, 700}, 100, DType::float32},   // rows that wait in a temporary file
  };
  std::int64_t scratch_bytes = 0;
  for (const auto& [g, row_elements, dtype] : cases) {
    for (const bool skip : {false, true}) {
      const std::int64_t width = element_size(dtype);
      CAPTURE(g.batches, g.outer, g.axis_size, g.indices, row_elements, width, skip);
      std::vector<std::int64_t> indices;
      for (std::int64_t i = 0; i < g.batches * g.indices; ++i)
        indices.push_back(random.between(-g.axis_size, g.axis_size - (skip ? 0 : 1)));
      const std::int64_t row_bytes = row_elements * width;
      std::vector<std::byte> data(static_cast<std::size_t>(g.batches * g.outer * g.axis_size * row_bytes));
      for (std::byte& byte : data) byte = static_cast<std::byte>(random.between(1, 255));

      std::vector<std::byte> expected;
      for (std::int64_t row = 0; row < g.batches * g.outer * g.indices; ++row) {
        const std::int64_t group = row / g.indices;
        std::int64_t index = indices[static_cast<std::size_t>(group / g.outer * g.indices + row % g.indices)];
        if (index < 0) index += g.axis_size;
        const auto row_begin = data.begin() + (group * g.axis_size + index) * row_bytes;
        if (index < g.axis_size) expected.insert(expected.end(), row_begin, row_begin + row_bytes);
        if (index == g.axis_size) expected.resize(expected.size() + static_cast<std::size_t>(row_bytes));
      }

      IndexDecoder decoder(list_of(DType::int64, indices), {{g.axis_size, 1}},
                           {true, skip ? OutOfBounds::zero : OutOfBounds::error});
      const std::int64_t elements = std::ssize(expected) / width;
      const Tensor tensor(dtype, {std::ssize(data) / width}, data.data(), nullptr);
      for (const WindowTrial& trial : window_trials(std::ssize(expected))) {
        CAPTURE(trial.memory, trial.anywhere, trial.threads);
        const auto gather = gather_plan({tensor, decoder, g, row_elements, elements});
        const auto [out, scratch] = filled_in_windows(*gather, std::ssize(expected), width, trial);
        CHECK(out == expected);
        CHECK(gather->plan_windows(trial.memory, trial.anywhere).scratch_bytes >= scratch);
        scratch_bytes += scratch;
      }
      const auto gather = gather_plan({tensor, std::move(decoder), g, row_elements, elements});
      gather->set_access(skip ? Access::plain : Access::advised);
      gather->prepare(Threads(2));
      for (int slice = 0; slice < 40; ++slice) {
        const std::int64_t first = slice == 0 ? 0 : random.between(0, elements - 1);
        const std::int64_t count = slice == 0 ? elements : random.between(0, elements - first);
        std::vector<std::byte> out(static_cast<std::size_t>(count * width));
        gather->fill({first, count}, out.data());
        CHECK(std::ranges::equal(
            out, std::span(expected).subspan(static_cast<std::size_t>(first * width), out.size())));
      }
    }
  }
  CHECK(scratch_bytes > 0);
}

TEST_CASE("along an outer axis the whole result in parts is the same as range by range", "[kernels]") {
  Random random(12);
  const Shape data_shape = {1100, 1000};  // more than stays in cache
  const Shape indices_shape = {90, 990};  // not all columns
  std::vector<float> data;
  for (std::int64_t i = 0; i < count(data_shape); ++i) data.push_back(static_cast<float>(i));
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < count(indices_shape); ++i) indices.push_back(random.between(-1100, 1099));
  const Tensor tensor(DType::float32, data_shape, reinterpret_cast<const std::byte*>(data.data()), nullptr);
  const auto gather = gather_plan({tensor,
                                   {list_of(DType::int64, indices), {{1100, 1000}}, {}},
                                   ElementGeometry{indices_shape, data_shape, 0},
                                   1,
                                   count(indices_shape)});
  REQUIRE(gather->prefers_whole());
  CHECK(!gather->fill_checks());  // parts would meet another bad index than the lowest
  std::vector<float> by_range(indices.size());
  gather->fill({0, count(indices_shape)}, reinterpret_cast<std::byte*>(by_range.data()));
  for (const std::int64_t parts : {1, 2, 5}) {
    std::vector<float> whole(indices.size());
    for (std::int64_t part = parts; part-- > 0;)
      gather->fill_part(reinterpret_cast<std::byte*>(whole.data()), part, parts);
    CHECK((whole == by_range));
  }
  bool right = true;
  for (std::int64_t i = 0; i < std::ssize(indices); ++i) {
    std::int64_t row = indices[static_cast<std::size_t>(i)];
    if (row < 0) row += 1100;
    right = right &&
            by_range[static_cast<std::size_t>(i)] == data[static_cast<std::size_t>(row * 1000 + i % 990)];
  }
  CHECK(right);
}

}  // namespace
}  // namespace tensorop
