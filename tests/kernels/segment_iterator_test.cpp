// Segments of broadcast operands: whatever slice of the result is asked for, each of its elements comes with
// the operands' elements that belong to it.
#include <cstring>
#include <vector>

#include "base/text/text.hpp"
#include "kernels/elements/iterator.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop::kernels_segment_iterator_test {
namespace {

// A result and the dimensions each operand has of it (others repeat).
struct Case {
  Shape shape;
  std::vector<std::vector<bool>> operands;
};

BroadcastStrides strides_of(const Shape& shape, const std::vector<bool>& has) {
  BroadcastStrides strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = has[d] && shape[d] != 1 ? stride : 0;
    if (has[d]) stride *= shape[d];
  }
  return strides;
}

// Element `position` of the result: where operand `strides` has its element.
std::int64_t offset_of(const Shape& shape, const BroadcastStrides& strides, std::int64_t position) {
  std::int64_t offset = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    offset += position % shape[d] * strides[d];
    position /= shape[d];
  }
  return offset;
}

Tensor tensor_over(const std::vector<std::int32_t>& elements) {
  return {DType::int32, {std::ssize(elements)}, reinterpret_cast<const std::byte*>(elements.data()), nullptr};
}

void check_slice(const Case& test, const std::vector<std::vector<std::int32_t>>& data,
                 const SegmentIterator& iterator, std::int64_t first, std::int64_t count) {
  std::int64_t position = first;
  std::int64_t wrong = 0;
  iterator.for_each_segment({first, count}, [&](const SegmentOperand* operands, std::int64_t n) {
    CHECK(n > 0);
    for (std::int64_t j = 0; j < n; ++j, ++position) {
      for (std::size_t i = 0; i < data.size(); ++i) {
        std::int32_t value = 0;
        CHECK((operands[i].stride == 0 || operands[i].stride == 1));
        std::memcpy(&value, operands[i].data + 4 * j * operands[i].stride, sizeof value);
        const auto wanted = offset_of(test.shape, strides_of(test.shape, test.operands[i]), position);
        wrong += value == data[i][static_cast<std::size_t>(wanted)] ? 0 : 1;
      }
    }
  });
  CHECK(wrong == 0);
  CHECK(position == first + count);
}

const std::vector<Case> kCases = {
    {{}, {{}, {}}},
    {{5}, {{true}, {false}}},
    {{100, 3}, {{true, true}, {false, true}}},
    {{100, 3}, {{true, true}, {true, false}}},
    {{1000, 3}, {{true, false}, {false, true}, {true, true}}},
    {{3, 100}, {{true, false}, {false, true}}},
    {{7, 5, 40}, {{true, true, true}, {true, false, true}, {false, true, false}}},
    {{600, 2, 3}, {{true, true, true}, {false, true, false}, {true, false, false}}},
    {{4, 300, 3, 2}, {{true, true, false, true}, {false, true, true, false}}},
    {{2, 3, 4, 5, 6}, {{true, false, true, false, true}, {false, true, false, true, false}}},
    {{2, 1, 3, 1, 2000}, {{true, true, true, true, true}, {true, false, false, false, false}}},
};

TEST_CASE("any slice of a broadcast result meets the right elements", "[elementwise]") {
  Random random(3);
  for (const Case& test : kCases) {
    CAPTURE(to_string(test.shape));
    std::vector<std::vector<std::int32_t>> data;
    std::vector<Tensor> operands;
    std::vector<BroadcastStrides> strides;
    for (const auto& has : test.operands) {
      std::int64_t elements = 1;
      for (std::size_t d = 0; d < test.shape.size(); ++d) elements *= has[d] ? test.shape[d] : 1;
      data.emplace_back();
      for (std::int64_t k = 0; k < elements; ++k) data.back().push_back(static_cast<std::int32_t>(7 * k + 1));
    }
    for (std::size_t i = 0; i < data.size(); ++i) {
      operands.push_back(tensor_over(data[i]));
      strides.push_back(strides_of(test.shape, test.operands[i]));
    }
    const SegmentIterator iterator(test.shape, operands, strides);
    const std::int64_t elements = count(test.shape);
    check_slice(test, data, iterator, 0, elements);
    for (int i = 0; i < 40; ++i) {
      const std::int64_t first = random.between(0, elements - 1);
      check_slice(test, data, iterator, first, random.between(0, elements - first));
    }
  }
}

TEST_CASE("short rows are taken together", "[elementwise]") {
  const std::vector<std::int32_t> a(30000);
  const std::vector<std::int32_t> b(3);
  const SegmentIterator iterator({10000, 3}, {tensor_over(a), tensor_over(b)}, {{3, 1}, {0, 1}});
  int segments = 0;
  iterator.for_each_segment({0, 30000},
                            [&](const SegmentOperand* /*operands*/, std::int64_t /*count*/) { ++segments; });
  CHECK(segments < 40);
}

}  // namespace
}  // namespace tensorop::kernels_segment_iterator_test
