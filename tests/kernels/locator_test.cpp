// Where rows lie: each locator against the formula of its operators, element by element.
#include "kernels/locator.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/checked.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop {
namespace {

using Offsets = std::vector<std::int64_t>;

IndexDecoder decoder_of(const Offsets& indices, const std::vector<IndexAxis>& axes, OutOfBounds policy) {
  return {list_of(DType::int64, indices), axes, {true, policy}};
}

Offsets random_indices(Random& random, std::int64_t number, std::int64_t size, bool out_of_range) {
  Offsets out;
  for (std::int64_t i = 0; i < number; ++i)
    out.push_back(random.between(-size, size - 1 + (out_of_range ? 2 : 0)));
  return out;
}

std::int64_t resolved(std::int64_t index, std::int64_t size) {
  if (index < 0) index += size;
  return index < size ? index : kSkip;
}

Offsets located(const Locator& locator, std::int64_t first, std::int64_t count) {
  Offsets offsets(static_cast<std::size_t>(count), -99);
  locator.locate(first, count, offsets.data());
  return offsets;
}

// The same run by run.
Offsets located_by_runs(const Locator& locator, std::int64_t first, std::int64_t count) {
  Offsets offsets;
  Offsets room(static_cast<std::size_t>(count));
  while (count > 0) {
    const LocatedRows run = locator.locate_run(first, count, room.data());
    REQUIRE(run.count > 0);
    REQUIRE(run.count <= count);
    for (std::int64_t i = 0; i < run.count; ++i)
      offsets.push_back(run.offsets[i] == kSkip ? kSkip : run.base + run.offsets[i]);
    first += run.count;
    count -= run.count;
  }
  return offsets;
}

// What locator.hpp promises, where `offsets` are those of all rows and the tensor has `all` rows.
void check_locator(const Locator& locator, const Offsets& offsets, std::int64_t all) {
  const auto rows = static_cast<std::int64_t>(offsets.size());
  REQUIRE(locator.rows() == rows);
  if (rows == 0) return;
  CHECK(located(locator, 0, rows) == offsets);
  for (std::int64_t first = 0; first < rows; ++first) {
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{2}, (rows - first) / 2, rows - first}) {
      if (first + count > rows) continue;
      const Offsets part(offsets.begin() + first, offsets.begin() + first + count);
      CHECK(located(locator, first, count) == part);
      CHECK(located_by_runs(locator, first, count) == part);
    }
  }
  CHECK((locator.skips() || std::ranges::find(offsets, kSkip) == offsets.end()));
  if (locator.group_size() > 0) {
    CHECK(ceil_div(rows, locator.group_rows()) * locator.group_size() <= all);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t offset = offsets[static_cast<std::size_t>(row)];
      if (offset != kSkip) CHECK(offset / locator.group_size() == row / locator.group_rows());
    }
    for (std::int64_t begin = 0; begin < all; ++begin) {
      for (std::int64_t end = begin + 1; end <= all; ++end) {
        const Range found = locator.rows_within({begin, end - begin});
        for (std::int64_t row = 0; row < rows; ++row) {
          const std::int64_t offset = offsets[static_cast<std::size_t>(row)];
          if (offset >= begin && offset < end) CHECK((row >= found.first && row < found.end()));
        }
      }
    }
  }
  if (locator.columns() > 0) {
    // In a tile only its columns are left: offset (step, column) becomes step * width + column - begin.
    const std::int64_t stride = locator.column_stride();
    for (std::int64_t begin = 0; begin < locator.columns(); ++begin) {
      for (std::int64_t end = begin + 1; end <= locator.columns(); ++end) {
        std::set<std::int64_t> seen;
        const Range columns = {begin, end - begin};
        locator.locate_columns({0, locator.index_steps()}, columns, columns,
                               [&](std::int64_t row, std::int64_t count, const std::int64_t* found) {
                                 for (std::int64_t i = 0; i < count; ++i) {
                                   CHECK((seen.empty() || *seen.rbegin() < row + i));
                                   seen.insert(row + i);
                                   const std::int64_t offset = offsets[static_cast<std::size_t>(row + i)];
                                   const std::int64_t packed =
                                       offset / stride * (end - begin) + offset % stride - begin;
                                   CHECK(found[i] == (offset == kSkip ? kSkip : packed));
                                   CHECK((row + i) % locator.columns() >= begin);
                                   CHECK((row + i) % locator.columns() < end);
                                 }
                               });
        CHECK(std::ssize(seen) == rows / locator.columns() * (end - begin));
      }
    }
  }
}

TEST_CASE("an axis locator finds (batch, outer, index)", "[kernels]") {
  Random random(1);
  const std::vector<AxisGeometry> geometries = {
      {1, 1, 5, 4}, {1, 3, 5, 4}, {2, 1, 5, 4}, {2, 3, 5, 4},
      {3, 2, 1, 1}, {2, 2, 4, 0}, {0, 3, 4, 2}, {2, 3, 5, 150},
  };
  for (const AxisGeometry& g : geometries) {
    for (const bool skip : {false, true}) {
      CAPTURE(g.batches, g.outer, g.axis_size, g.indices, skip);
      const Offsets indices = random_indices(random, g.batches * g.indices, g.axis_size, skip);
      Offsets offsets;
      for (std::int64_t batch = 0; batch < g.batches; ++batch) {
        for (std::int64_t outer = 0; outer < g.outer; ++outer) {
          for (std::int64_t i = 0; i < g.indices; ++i) {
            const std::int64_t index =
                resolved(indices[static_cast<std::size_t>(batch * g.indices + i)], g.axis_size);
            offsets.push_back(index == kSkip ? kSkip : (batch * g.outer + outer) * g.axis_size + index);
          }
        }
      }
      const auto locator = make_locator(
          decoder_of(indices, {{g.axis_size, 1}}, skip ? OutOfBounds::drop : OutOfBounds::error), g);
      check_locator(*locator, offsets, g.batches * g.outer * g.axis_size);
      CHECK(locator->repeats() == g.outer);
      locator->keep_offsets(Threads(2));
      check_locator(*locator, offsets, g.batches * g.outer * g.axis_size);
    }
  }
}

TEST_CASE("a tuple locator finds tuples within their batches, broadcast or not", "[kernels]") {
  Random random(2);
  struct Case {
    Shape data_batch;
    Shape index_batch;
    Shape batch;
    Shape selected;
    std::int64_t tuples;
  };
  const std::vector<Case> cases = {
      {{}, {}, {}, {4, 3}, 5},          {{}, {}, {}, {}, 3},
      {{2}, {2}, {2}, {3}, 4},          {{2, 3}, {2, 3}, {2, 3}, {4}, 2},
      {{1}, {3}, {3}, {2, 2}, 2},       {{3}, {1}, {3}, {2, 2}, 2},
      {{1, 3}, {2, 1}, {2, 3}, {4}, 2}, {{2, 1}, {2, 3}, {2, 3}, {4}, 1},
      {{0}, {1}, {0}, {4}, 1},
  };
  const auto strides_of = [](const Shape& own, const Shape& batch) {
    auto strides = row_major_strides(own);
    for (std::size_t d = 0; d < own.size(); ++d) strides[d] = own[d] == 1 && batch[d] != 1 ? 0 : strides[d];
    return strides;
  };
  for (const Case& c : cases) {
    for (const bool skip : {false, true}) {
      CAPTURE(c.data_batch, c.index_batch, c.selected, c.tuples, skip);
      const std::int64_t held = count(c.index_batch) * c.tuples;
      std::vector<IndexAxis> axes;
      const auto selected_strides = row_major_strides(c.selected);
      for (std::size_t j = 0; j < c.selected.size(); ++j)
        axes.push_back({c.selected[j], selected_strides[j]});
      Offsets indices;
      for (std::int64_t t = 0; t < held; ++t) {
        for (const std::int64_t size : c.selected)
          indices.push_back(random_indices(random, 1, size, skip)[0]);
      }
      const auto data_strides = strides_of(c.data_batch, c.batch);
      const auto index_strides = strides_of(c.index_batch, c.batch);
      Offsets offsets;
      for (std::int64_t b = 0; b < count(c.batch); ++b) {
        const auto at = coordinates(b, c.batch);
        const auto data_batch =
            std::inner_product(at.begin(), at.end(), data_strides.begin(), std::int64_t{0});
        const auto index_batch =
            std::inner_product(at.begin(), at.end(), index_strides.begin(), std::int64_t{0});
        for (std::int64_t t = 0; t < c.tuples; ++t) {
          std::int64_t offset = data_batch * count(c.selected);
          for (std::size_t j = 0; j < axes.size(); ++j) {
            const auto at_index = static_cast<std::size_t>(index_batch * c.tuples + t) * axes.size() + j;
            const std::int64_t index = resolved(indices[at_index], axes[j].size);
            offset = index == kSkip || offset == kSkip ? kSkip : offset + index * axes[j].stride;
          }
          offsets.push_back(offset);
        }
      }
      const auto locator =
          make_locator(decoder_of(indices, axes, skip ? OutOfBounds::drop : OutOfBounds::error),
                       TupleGeometry{c.batch, data_strides, index_strides, count(c.selected), c.tuples});
      check_locator(*locator, offsets, count(c.data_batch) * count(c.selected));
    }
  }
}

TEST_CASE("an element locator has data's strides, however small the indices are", "[kernels]") {
  Random random(3);
  struct Case {
    Shape data;
    Shape indices;
  };
  const std::vector<Case> cases = {
      {{5}, {7}},
      {{4, 3}, {4, 3}},
      {{4, 3}, {2, 3}},
      {{4, 3}, {4, 2}},
      {{4, 3}, {6, 2}},
      {{4, 3}, {2, 7}},
      {{2, 3, 4}, {2, 3, 4}},
      {{2, 3, 4}, {1, 3, 4}},
      {{2, 3, 4}, {2, 1, 4}},
      {{2, 3, 4}, {2, 3, 1}},
      {{3, 3, 3}, {2, 2, 2}},
      {{3, 1, 2, 3}, {2, 1, 2, 3}},
      {{3, 2, 2, 2}, {1, 1, 2, 2}},
      {{4, 3}, {0, 3}},
      {{4, 0}, {4, 0}},
      {{3, 7}, {2, 300}},
      {{2, 2, 5}, {2, 2, 140}},
  };
  for (const Case& c : cases) {
    for (std::int64_t axis = 0; axis < rank(c.data); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      bool fits = c.data[a] > 0 || count(c.indices) == 0;
      for (std::size_t d = 0; d < c.data.size(); ++d) fits = fits && (d == a || c.indices[d] <= c.data[d]);
      if (!fits) continue;
      for (const bool skip : {false, true}) {
        CAPTURE(c.data, c.indices, axis, skip);
        const Offsets indices =
            random_indices(random, count(c.indices), std::max<std::int64_t>(c.data[a], 1), skip);
        const auto strides = row_major_strides(c.data);
        Offsets offsets;
        for (std::int64_t i = 0; i < count(c.indices); ++i) {
          auto at = coordinates(i, c.indices);
          at[a] = resolved(indices[static_cast<std::size_t>(i)], c.data[a]);
          offsets.push_back(at[a] == kSkip
                                ? kSkip
                                : std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0}));
        }
        const auto locator = make_locator(
            decoder_of(indices, {{c.data[a], strides[a]}}, skip ? OutOfBounds::drop : OutOfBounds::error),
            ElementGeometry{c.indices, c.data, axis});
        check_locator(*locator, offsets, count(c.data));
      }
    }
  }
}

}  // namespace
}  // namespace tensorop
