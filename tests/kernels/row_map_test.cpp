// The map from index tuples to rows, against the sum that it stands for: any dimensions, broadcast or not.
#include "kernels/index/row_map.hpp"

#include <algorithm>
#include <vector>

#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::kernels_row_map_test {
namespace {

// Computes the offset of a row, one dimension after the other.
struct NaiveMap {
  std::vector<RowDim> dims;
  std::vector<std::int64_t> tuples;  // the offset of each; kSkip

  [[nodiscard]] std::int64_t rows() const {
    std::int64_t rows = 1;
    for (const RowDim& dim : dims) rows *= dim.size;
    return rows;
  }
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> tuple_and_base(std::int64_t row) const {
    std::int64_t tuple = 0;
    std::int64_t base = 0;
    for (std::size_t d = dims.size(); d-- > 0;) {
      tuple += row % dims[d].size * dims[d].tuple_stride;
      base += row % dims[d].size * dims[d].data_stride;
      row /= dims[d].size;
    }
    return {tuple, base};
  }
  [[nodiscard]] std::int64_t offset(std::int64_t row) const {
    const auto [tuple, base] = tuple_and_base(row);
    const std::int64_t offset = tuples[static_cast<std::size_t>(tuple)];
    return offset == kSkip ? kSkip : offset + base;
  }
};

struct RandomMap {
  NaiveMap naive;
  IndexDecoder decoder;
};

// Dimensions in any order of strides, each stepping through tuples, through data, both or neither.
RandomMap random_map(Random& random) {
  std::vector<RowDim> dims;
  std::vector<std::int64_t> tuple_sizes;
  std::int64_t tuples = 1;
  std::int64_t data_size = random.between(1, 5);  // the axis of the index, innermost
  const std::int64_t axis = data_size;
  const bool has_tuple_order = random.between(0, 2) != 0;
  for (std::int64_t left = random.between(0, 4); left > 0; --left) {
    RowDim dim{random.between(1, random.between(0, 5) == 0 ? 300 : 4), 0, 0};
    if (has_tuple_order || random.between(0, 1) != 0) {
      dim.tuple_stride = tuples;
      tuples *= dim.size;
    }
    if (random.between(0, 1) != 0) {
      dim.data_stride = data_size;
      data_size *= dim.size;
    }
    dims.insert(dims.begin(), dim);
  }
  if (!has_tuple_order) std::reverse(dims.begin(), dims.end());
  const bool drops = random.between(0, 1) != 0;
  std::vector<std::int64_t> indices;
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < tuples; ++i) {
    indices.push_back(random.between(0, drops ? axis : axis - 1));
    offsets.push_back(indices.back() == axis ? kSkip : indices.back());
  }
  return {{dims, offsets},
          {list_of(DType::int64, indices),
           {{axis, 1}},
           {Negative::count, drops ? OutOfBounds::drop : OutOfBounds::error}}};
}

TEST_CASE("rows are located as their dimensions and tuples say, in blocks from anywhere", "[kernels][rows]") {
  Random random(41);
  int grouped = 0;
  int repeated = 0;
  for (std::int64_t i = 0; i < share_of(2000); ++i) {
    const RandomMap made = random_map(random);
    const NaiveMap& naive = made.naive;
    RowMap map(made.decoder, naive.dims);
    const std::int64_t rows = naive.rows();
    CAPTURE(i, rows);
    REQUIRE(map.rows() == rows);
    if (map.repeats() > 1 && random.between(0, 1) != 0) map.keep_offsets(Threads(2));
    repeated += map.repeats() > 1 ? 1 : 0;
    grouped += map.group_size() > 0 ? 1 : 0;
    for (int block = 0; block < 10; ++block) {
      const std::int64_t first = random.between(0, rows - 1);
      const std::int64_t count = random.between(1, std::min(kIndexBlock, rows - first));
      std::vector<std::int64_t> expected;
      for (std::int64_t row = first; row < first + count; ++row) {
        expected.push_back(naive.offset(row));
        const std::int64_t tuple = naive.tuple_and_base(row).first;
        const Range known = map.tuples_of({first, count});
        CHECK((known.first <= tuple && tuple < known.end()));
        if (map.group_size() == 0 || expected.back() == kSkip) continue;
        CHECK(expected.back() / map.group_size() == row / map.group_rows());
        const Range within = map.rows_within({expected.back(), 1});
        CHECK((within.first <= row && row < within.end()));
      }
      std::vector<std::int64_t> offsets(expected.size());
      map.locate(first, count, offsets.data());
      CHECK(offsets == expected);
      std::vector<std::int64_t> room(expected.size());
      const LocatedRows located = map.locate_segment(first, count, room.data());
      REQUIRE((located.count >= 1 && located.count <= count));
      for (std::int64_t j = 0; j < located.count; ++j) {
        const std::int64_t offset = located.offsets[j];
        CHECK((offset == kSkip ? kSkip : offset + located.base) == expected[static_cast<std::size_t>(j)]);
      }
    }
  }
  CHECK(grouped > share_of(200));
  CHECK(repeated > share_of(200));
}

TEST_CASE("the lowest bad index is named wherever its tuple has its components", "[kernels][rows]") {
  // Two components of four tuples, the components of all tuples after each other: tuple 2 is (1, 9), tuple 3
  // is (7, 0).
  const Tensor indices = list_of(DType::int64, {0, 1, 1, 7, 0, 0, 9, 0});
  const IndexDecoder decoder(indices, {{3, 3, 0}, {3, 1, 1}}, {}, 4);
  std::vector<std::int64_t> offsets(4);
  decoder.decode(0, 2, offsets.data());
  CHECK((offsets[0] == 0 && offsets[1] == 3));
  for (const auto& [first, position] : {std::pair{0, 3}, {2, 3}, {3, 3}}) {
    try {
      decoder.decode(first, 4 - first, offsets.data());
      FAIL("no fault");
    } catch (const PlanFault& fault) {
      CHECK(fault.position == position);
    }
  }
  try {
    decoder.decode(2, 1, offsets.data());
    FAIL("no fault");
  } catch (const PlanFault& fault) {
    CHECK(fault.position == 6);
  }
}

}  // namespace
}  // namespace tensorop::kernels_row_map_test
