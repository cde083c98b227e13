// The map from index tuples to rows, against the sum that it stands for: any dimensions, broadcast or not;
// and the general gather of StableHLO, which needs nothing else.
#include "kernels/index/row_map.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/rows/gather_rows.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::kernels_row_map_test {
namespace {

// What a row's offset is, one dimension after the other.
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
      base += row % dims[d].size * dims[d].table_stride;
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

// Dimensions in any order of strides, each of which steps through tuples, through the table, both or neither.
RandomMap random_map(Random& random) {
  std::vector<RowDim> dims;
  std::vector<std::int64_t> tuple_sizes;
  std::int64_t tuples = 1;
  std::int64_t table = random.between(1, 5);  // the axis of the index, innermost
  const std::int64_t axis = table;
  const bool has_tuple_order = random.between(0, 2) != 0;
  for (std::int64_t left = random.between(0, 4); left > 0; --left) {
    RowDim dim{random.between(1, random.between(0, 5) == 0 ? 300 : 4), 0, 0};
    if (has_tuple_order || random.between(0, 1) != 0) {
      dim.tuple_stride = tuples;
      tuples *= dim.size;
    }
    if (random.between(0, 1) != 0) {
      dim.table_stride = table;
      table *= dim.size;
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
      const LocatedRows run = map.locate_run(first, count, room.data());
      REQUIRE((run.count >= 1 && run.count <= count));
      for (std::int64_t j = 0; j < run.count; ++j) {
        const std::int64_t offset = run.offsets[j];
        CHECK((offset == kSkip ? kSkip : offset + run.base) == expected[static_cast<std::size_t>(j)]);
      }
    }
  }
  CHECK(grouped > share_of(200));
  CHECK(repeated > share_of(200));
}

// StableHLO's gather (specification 1.x, "gather"), by its attributes.
struct GeneralGather {
  Shape operand;
  Shape starts;
  std::vector<std::size_t> offset_dims;  // of the result, ascending
  std::vector<std::size_t> collapsed;    // of the operand, ascending
  std::vector<std::size_t> operand_batching;
  std::vector<std::size_t> starts_batching;
  std::vector<std::size_t> start_index_map;
  std::size_t index_vector_dim;
  Shape slice;
};

bool has(const std::vector<std::size_t>& list, std::size_t item) {
  return std::ranges::find(list, item) != list.end();
}

// The dimensions of `starts` that are those of the result's batch.
std::vector<std::size_t> batch_dims(const GeneralGather& gather) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < gather.starts.size(); ++d) {
    if (d != gather.index_vector_dim) dims.push_back(d);
  }
  return dims;
}

// The dimensions of the operand that are those of the result's slices.
std::vector<std::size_t> slice_dims(const GeneralGather& gather) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < gather.operand.size(); ++d) {
    if (!has(gather.collapsed, d) && !has(gather.operand_batching, d)) dims.push_back(d);
  }
  return dims;
}

Shape result_of(const GeneralGather& gather) {
  Shape result;
  const auto batches = batch_dims(gather);
  const auto slices = slice_dims(gather);
  std::size_t next_batch = 0;
  std::size_t next_slice = 0;
  for (std::size_t d = 0; d < batches.size() + slices.size(); ++d) {
    result.push_back(has(gather.offset_dims, d) ? gather.slice[slices[next_slice++]]
                                                : gather.starts[batches[next_batch++]]);
  }
  return result;
}

// The builder: the whole of what a plan needs to know.
struct Built {
  std::vector<RowDim> dims;
  std::vector<IndexAxis> axes;
  std::int64_t component_stride;
};
Built build(const GeneralGather& gather) {
  const auto table = row_major_strides(gather.operand);
  const auto batches = batch_dims(gather);
  const auto slices = slice_dims(gather);
  Shape tuple_shape;
  for (const std::size_t d : batches) tuple_shape.push_back(gather.starts[d]);
  const auto tuple = row_major_strides(tuple_shape);
  Built built;
  std::size_t batch = 0;
  std::size_t slice = 0;
  const Shape result = result_of(gather);
  for (std::size_t d = 0; d < result.size(); ++d) {
    if (has(gather.offset_dims, d)) {
      built.dims.push_back({result[d], 0, table[slices[slice++]]});
      continue;
    }
    const auto found = std::ranges::find(gather.starts_batching, batches[batch]);
    const auto pair = static_cast<std::size_t>(found - gather.starts_batching.begin());
    built.dims.push_back({result[d], tuple[batch++],
                          found == gather.starts_batching.end() ? 0 : table[gather.operand_batching[pair]]});
  }
  // A window that would go beyond the end begins earlier.
  for (const std::size_t d : gather.start_index_map)
    built.axes.push_back({gather.operand[d] - gather.slice[d] + 1, table[d], static_cast<std::int64_t>(d)});
  built.component_stride = 1;
  for (std::size_t d = gather.index_vector_dim + 1; d < gather.starts.size(); ++d)
    built.component_stride *= gather.starts[d];
  return built;
}

// The text of the specification, element by element.
std::int64_t operand_element(const GeneralGather& gather, const std::vector<std::int64_t>& starts,
                             std::int64_t position) {
  const Shape result = result_of(gather);
  std::vector<std::int64_t> at(result.size());
  for (std::size_t d = result.size(); d-- > 0; position /= result[d]) at[d] = position % result[d];
  std::vector<std::int64_t> batch_index;
  std::vector<std::int64_t> offset_index;
  for (std::size_t d = 0; d < at.size(); ++d)
    (has(gather.offset_dims, d) ? offset_index : batch_index).push_back(at[d]);
  const auto start_strides = row_major_strides(gather.starts);
  std::int64_t start_base = 0;
  const auto batches = batch_dims(gather);
  for (std::size_t d = 0; d < batches.size(); ++d) start_base += batch_index[d] * start_strides[batches[d]];
  std::vector<std::int64_t> full(gather.operand.size());
  for (std::size_t k = 0; k < gather.start_index_map.size(); ++k) {
    const std::size_t d = gather.start_index_map[k];
    const bool has_vector = gather.index_vector_dim < gather.starts.size();
    const std::int64_t step = has_vector ? start_strides[gather.index_vector_dim] : 0;
    const auto element = static_cast<std::size_t>(start_base + static_cast<std::int64_t>(k) * step);
    full[d] = std::clamp<std::int64_t>(starts[element], 0, gather.operand[d] - gather.slice[d]);
  }
  for (std::size_t k = 0; k < gather.operand_batching.size(); ++k) {
    const auto found = std::ranges::find(batches, gather.starts_batching[k]) - batches.begin();
    full[gather.operand_batching[k]] = batch_index[static_cast<std::size_t>(found)];
  }
  const auto slices = slice_dims(gather);
  for (std::size_t k = 0; k < slices.size(); ++k) full[slices[k]] += offset_index[k];
  const auto strides = row_major_strides(gather.operand);
  return std::inner_product(full.begin(), full.end(), strides.begin(), std::int64_t{0});
}

GeneralGather random_gather(Random& random) {
  GeneralGather gather;
  const auto operand_rank = static_cast<std::size_t>(random.between(1, 4));
  for (std::size_t d = 0; d < operand_rank; ++d) {
    gather.operand.push_back(random.between(1, 4));
    gather.slice.push_back(random.between(1, gather.operand[d]));
  }
  // Each dimension is collapsed, batching, or one of the slice; some of the others have a start.
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < operand_rank; ++d) {
    const std::int64_t kind = random.between(0, 3);
    if (kind == 0) gather.operand_batching.push_back(d);
    if (kind == 1) gather.collapsed.push_back(d);
    if (kind < 2) gather.slice[d] = 1;
    if (kind != 0 && (kind == 1 || random.between(0, 1) != 0)) axes.push_back(d);
  }
  while (!axes.empty()) {
    const auto i = static_cast<std::size_t>(random.between(0, std::ssize(axes) - 1));
    gather.start_index_map.push_back(axes[i]);
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  Shape batches;
  for (const std::size_t d : gather.operand_batching) batches.push_back(gather.operand[d]);
  for (std::int64_t left = random.between(0, 2); left > 0; --left) batches.push_back(random.between(1, 3));
  const auto vectors = std::ssize(gather.start_index_map);
  const bool implicit = vectors == 1 && random.between(0, 1) != 0;
  const auto place = static_cast<std::size_t>(random.between(0, std::ssize(batches)));
  gather.index_vector_dim = implicit ? batches.size() : place;
  gather.starts = batches;
  if (!implicit) gather.starts.insert(gather.starts.begin() + static_cast<std::ptrdiff_t>(place), vectors);
  for (std::size_t k = 0; k < gather.operand_batching.size(); ++k)
    gather.starts_batching.push_back(!implicit && k >= place ? k + 1 : k);
  const std::size_t result_rank = batches.size() + slice_dims(gather).size();
  std::vector<std::size_t> dims(result_rank);
  std::iota(dims.begin(), dims.end(), std::size_t{0});
  for (std::size_t left = slice_dims(gather).size(); left > 0; --left) {
    const auto i = static_cast<std::size_t>(random.between(0, std::ssize(dims) - 1));
    gather.offset_dims.push_back(dims[i]);
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::ranges::sort(gather.offset_dims);
  return gather;
}

TEST_CASE("the general gather of StableHLO is dimensions of rows, a component stride and clamped indices",
          "[kernels][rows]") {
  Random random(42);
  int strided = 0;
  for (int i = 0; i < 3000; ++i) {
    const GeneralGather gather = random_gather(random);
    const std::int64_t elements = count(result_of(gather));
    CAPTURE(i, gather.operand, gather.starts, gather.slice, gather.index_vector_dim);
    std::vector<std::int64_t> starts;
    for (std::int64_t left = count(gather.starts); left > 0; --left) starts.push_back(random.between(-3, 6));
    std::vector<std::int64_t> data(static_cast<std::size_t>(count(gather.operand)));
    std::iota(data.begin(), data.end(), std::int64_t{0});
    const Built built = build(gather);
    strided += built.component_stride > 1 && built.axes.size() > 1 ? 1 : 0;
    const auto plan = gather_plan({list_of(DType::int64, data),
                                   {list_of(DType::int64, starts),
                                    built.axes,
                                    {Negative::raw, OutOfBounds::clip},
                                    built.component_stride},
                                   built.dims,
                                   1,
                                   elements});
    plan->prepare({0, elements}, choose_in_memory(plan->facts().moves), Threads(1));
    std::vector<std::int64_t> out(static_cast<std::size_t>(elements));
    plan->fill({0, elements}, reinterpret_cast<std::byte*>(out.data()));
    for (std::int64_t at = 0; at < elements; ++at)
      CHECK(out[static_cast<std::size_t>(at)] == operand_element(gather, starts, at));
  }
  CHECK(strided > 300);
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
