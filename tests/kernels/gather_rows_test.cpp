// Gathering rows: any slice against the places one by one, with groups that are brought into cache and
// without.
#include "kernels/gather_rows.hpp"

#include <algorithm>
#include <span>

#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop {
namespace {

struct Case {
  AxisGeometry geometry;
  std::int64_t row_elements;
  std::int64_t width;
};

TEST_CASE("any slice of a gather has the rows at its places", "[kernels]") {
  Random random(11);
  const std::vector<Case> cases = {
      {{1, 1, 100, 700}, 1, 4},   // no groups
      {{2, 3, 64, 300}, 1, 4},    // dense groups, long runs
      {{2, 3, 64, 40}, 1, 1},     // dense groups, short runs
      {{2, 3, 64, 3}, 4, 8},      // sparse groups
      {{1, 4, 32, 150}, 3, 16},   // rows of several elements
      {{1, 2, 9, 200}, 5, 2},     // an odd width
      {{1, 3, 600000, 9}, 1, 4},  // groups too large to keep
  };
  for (const auto& [g, row_elements, width] : cases) {
    for (const bool skip : {false, true}) {
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
        const auto place = data.begin() + (group * g.axis_size + index) * row_bytes;
        if (index < g.axis_size) expected.insert(expected.end(), place, place + row_bytes);
        if (index == g.axis_size) expected.resize(expected.size() + static_cast<std::size_t>(row_bytes));
      }

      IndexDecoder decoder(list_of(DType::int64, indices), {{g.axis_size, 1}},
                           {true, skip ? OutOfBounds::zero : OutOfBounds::error},
                           [](std::int64_t, std::size_t) { throw std::runtime_error("bad index"); });
      const Gather gather(axis_locator(std::move(decoder), g), data.data(), row_elements, width);
      const std::int64_t elements = std::ssize(expected) / width;
      for (int slice = 0; slice < 40; ++slice) {
        const std::int64_t first = slice == 0 ? 0 : random.between(0, elements - 1);
        const std::int64_t count = slice == 0 ? elements : random.between(0, elements - first);
        std::vector<std::byte> out(static_cast<std::size_t>(count * width));
        gather.fill(first, count, out.data());
        CHECK(std::ranges::equal(
            out, std::span(expected).subspan(static_cast<std::size_t>(first * width), out.size())));
      }
    }
  }
}

}  // namespace
}  // namespace tensorop
