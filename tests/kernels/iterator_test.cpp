// Iterators over broadcast shapes: the same offsets as counting through all coordinates, from anywhere to
// anywhere.
#include "kernels/elements/iterator.hpp"

#include <numeric>

#include "support/catch.hpp"

namespace tensorop::kernels_iterator_test {
namespace {

using Offsets = std::vector<std::vector<std::int64_t>>;  // of each operand, for each element

struct Case {
  std::string what;
  Shape shape;
  std::vector<BroadcastStrides> operands;
  std::size_t dims;  // that are left
};

// Strides of a dense tensor are those of row_major_strides; 0 repeats.
const std::vector<Case> kCases = {
    {"rank 0", {}, {{}}, 1},
    {"one element of rank 3", {1, 1, 1}, {{1, 1, 1}}, 1},
    {"dense", {2, 3, 4}, {{12, 4, 1}}, 1},
    {"dense with dimensions of 1", {2, 1, 3, 1}, {{3, 3, 1, 1}}, 1},
    {"dense with dimensions of 1 that repeat", {1, 2, 1, 3, 1}, {{0, 3, 0, 1, 0}}, 1},
    {"a row, repeated", {4, 3}, {{0, 1}}, 2},
    {"a column, repeated", {4, 3}, {{1, 0}}, 2},
    {"a scalar, repeated", {4, 3, 2}, {{0, 0, 0}}, 1},
    {"repeated in the middle", {2, 3, 4}, {{4, 0, 1}}, 3},
    {"repeated at both ends", {2, 3, 4}, {{0, 1, 0}}, 3},
    {"two dense", {2, 3, 4}, {{12, 4, 1}, {12, 4, 1}}, 1},
    {"dense and a scalar", {2, 3, 4}, {{12, 4, 1}, {0, 0, 0}}, 1},
    {"dense and a row", {2, 3, 4}, {{12, 4, 1}, {0, 0, 1}}, 2},
    {"dense and a matrix", {2, 3, 4}, {{12, 4, 1}, {0, 4, 1}}, 2},
    {"dense and a column", {2, 3, 4}, {{12, 4, 1}, {1, 0, 0}}, 2},
    {"three against each other", {2, 3, 4}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 3},
    {"a transposed one", {3, 2}, {{1, 3}}, 2},
};

Offsets expected_offsets(const Case& c) {
  Offsets out;
  for (std::int64_t i = 0; i < count(c.shape); ++i) {
    const auto at = coordinates(i, c.shape);
    out.emplace_back();
    for (const BroadcastStrides& strides : c.operands)
      out.back().push_back(std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0}));
  }
  return out;
}

Offsets visited(const BroadcastIterator& iterator, std::size_t operands, std::int64_t first,
                std::int64_t count) {
  Offsets out;
  iterator.for_each_segment(first, count, [&](const std::int64_t* offsets, std::int64_t length) {
    CHECK(length > 0);
    CHECK(length <= iterator.inner_size());
    for (std::int64_t i = 0; i < length; ++i) {
      out.emplace_back();
      for (std::size_t operand = 0; operand < operands; ++operand)
        out.back().push_back(offsets[operand] + i * iterator.inner_stride(operand));
    }
  });
  return out;
}

TEST_CASE("an iterator visits every element of any slice, in order, with as few dimensions as can be",
          "[kernels]") {
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    const BroadcastIterator iterator(c.shape, c.operands);
    CHECK(iterator.dims() == c.dims);
    const Offsets expected = expected_offsets(c);
    const std::int64_t all = count(c.shape);
    for (std::int64_t first = 0; first <= all; ++first) {
      for (std::int64_t end = first; end <= all; ++end) {
        const Offsets part(expected.begin() + first, expected.begin() + end);
        CHECK(visited(iterator, c.operands.size(), first, end - first) == part);
      }
    }
  }
}

TEST_CASE("an empty shape has an iterator, which nothing is asked of", "[kernels]") {
  const BroadcastIterator iterator({3, 0, 4611686018427387904}, {{0, 0, 0}});
  CHECK(visited(iterator, 1, 0, 0).empty());
}

TEST_CASE("an iterator through more elements than memory holds does not overflow", "[kernels]") {
  const BroadcastIterator iterator({1 << 30, 1 << 30}, {{0, 1}});
  const std::int64_t last = (std::int64_t{1} << 60) - 1;
  const Offsets end = visited(iterator, 1, last, 1);
  CHECK(end == Offsets{{(1 << 30) - 1}});
}

TEST_CASE("joined operands: the source of every element of any slice, and back", "[kernels]") {
  const std::vector<std::vector<std::int64_t>> rows = {{3}, {2, 1}, {0, 2, 0, 0, 3, 0}, {1, 1, 1, 1}};
  for (const std::vector<std::int64_t>& row_elements : rows) {
    constexpr std::int64_t kRows = 3;
    std::vector<std::pair<std::size_t, std::int64_t>> expected;
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::size_t operand = 0; operand < row_elements.size(); ++operand) {
        for (std::int64_t i = 0; i < row_elements[operand]; ++i)
          expected.emplace_back(operand, row * row_elements[operand] + i);
      }
    }
    const ConcatIterator iterator(row_elements);
    for (std::size_t at = 0; at < expected.size(); ++at) {
      const auto position = static_cast<std::int64_t>(at);
      const ConcatIterator::Source source = iterator.source(position);
      CHECK(std::pair(source.operand, source.offset) == expected[at]);
      CHECK(iterator.position(source) == position);
      for (std::size_t end = at; end <= expected.size(); ++end) {
        const Range range = {position, static_cast<std::int64_t>(end - at)};
        std::vector<std::pair<std::size_t, std::int64_t>> part;
        iterator.for_each_segment(range, [&](const ConcatIterator::Source& from, std::int64_t n) {
          CHECK(n > 0);
          for (std::int64_t i = 0; i < n; ++i) part.emplace_back(from.operand, from.offset + i);
        });
        for (std::size_t operand = 0; operand < row_elements.size(); ++operand) {
          const auto is_own = [&](const auto& element) { return element.first == operand; };
          const auto first = std::ranges::find_if(part, is_own);
          const Range own = iterator.part_of(operand, range);
          CHECK(own.count == std::ranges::count_if(part, is_own));
          if (first != part.end()) CHECK(own.first == first->second);
        }
        CHECK(part ==
              std::vector(expected.begin() + position, expected.begin() + static_cast<std::int64_t>(end)));
      }
    }
  }
}

}  // namespace
}  // namespace tensorop::kernels_iterator_test
