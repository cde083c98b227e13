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

using Places = std::vector<std::int64_t>;

IndexDecoder decoder_of(const Places& indices, const std::vector<IndexAxis>& axes, OutOfBounds policy) {
  return {list_of(DType::int64, indices), axes, {true, policy}, [](std::int64_t, std::size_t) {
            throw std::runtime_error("bad index");
          }};
}

Places random_indices(Random& random, std::int64_t number, std::int64_t size, bool out_of_range) {
  Places out;
  for (std::int64_t i = 0; i < number; ++i)
    out.push_back(random.between(-size, size - 1 + (out_of_range ? 2 : 0)));
  return out;
}

std::int64_t resolved(std::int64_t index, std::int64_t size) {
  if (index < 0) index += size;
  return index < size ? index : kSkip;
}

Places located(const Locator& locator, std::int64_t first, std::int64_t count) {
  Places places(static_cast<std::size_t>(count), -99);
  locator.locate(first, count, places.data());
  return places;
}

// The same run by run.
Places located_by_runs(const Locator& locator, std::int64_t first, std::int64_t count) {
  Places places;
  Places room(static_cast<std::size_t>(count));
  while (count > 0) {
    const LocatedRows run = locator.locate_run(first, count, room.data());
    REQUIRE(run.count > 0);
    REQUIRE(run.count <= count);
    for (std::int64_t i = 0; i < run.count; ++i)
      places.push_back(run.places[i] == kSkip ? kSkip : run.base + run.places[i]);
    first += run.count;
    count -= run.count;
  }
  return places;
}

Places rows_in(const std::function<void(const Locator::Range&)>& visit) {
  Places rows;
  visit([&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) rows.push_back(first + i);
  });
  return rows;
}

// What locator.hpp promises, where `places` are those of all rows and the tensor has `all` rows.
void check_locator(const Locator& locator, const Places& places, std::int64_t all) {
  const auto rows = static_cast<std::int64_t>(places.size());
  REQUIRE(locator.rows() == rows);
  if (rows == 0) return locator.check(Threads(2));
  CHECK(located(locator, 0, rows) == places);
  for (std::int64_t first = 0; first < rows; ++first) {
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{2}, (rows - first) / 2, rows - first}) {
      if (first + count > rows) continue;
      const Places part(places.begin() + first, places.begin() + first + count);
      CHECK(located(locator, first, count) == part);
      CHECK(located_by_runs(locator, first, count) == part);
    }
  }
  locator.check(Threads(2));
  CHECK((locator.skips() || std::ranges::find(places, kSkip) == places.end()));
  if (locator.group_places() > 0) {
    CHECK(ceil_div(rows, locator.group_rows()) * locator.group_places() <= all);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t place = places[static_cast<std::size_t>(row)];
      if (place != kSkip) CHECK(place / locator.group_places() == row / locator.group_rows());
    }
    for (std::int64_t begin = 0; begin < all; ++begin) {
      for (std::int64_t end = begin + 1; end <= all; ++end) {
        const Places found = rows_in([&](const auto& range) { locator.rows_within(begin, end, range); });
        CHECK(std::ranges::is_sorted(found));
        const std::set<std::int64_t> set(found.begin(), found.end());
        CHECK(set.size() == found.size());
        for (std::int64_t row = 0; row < rows; ++row) {
          const std::int64_t place = places[static_cast<std::size_t>(row)];
          if (place >= begin && place < end) CHECK(set.contains(row));
        }
      }
    }
  }
  if (locator.lanes() > 0) {
    // In a tile only its lanes are left: place (step, lane) becomes step * width + lane - begin.
    const std::int64_t stride = locator.lane_stride();
    for (std::int64_t begin = 0; begin < locator.lanes(); ++begin) {
      for (std::int64_t end = begin + 1; end <= locator.lanes(); ++end) {
        std::set<std::int64_t> seen;
        locator.locate_tile(begin, end, [&](std::int64_t row, std::int64_t count, const std::int64_t* found) {
          for (std::int64_t i = 0; i < count; ++i) {
            CHECK((seen.empty() || *seen.rbegin() < row + i));
            seen.insert(row + i);
            const std::int64_t place = places[static_cast<std::size_t>(row + i)];
            const std::int64_t packed = place / stride * (end - begin) + place % stride - begin;
            CHECK(found[i] == (place == kSkip ? kSkip : packed));
            CHECK((row + i) % locator.lanes() >= begin);
            CHECK((row + i) % locator.lanes() < end);
          }
        });
        CHECK(std::ssize(seen) == rows / locator.lanes() * (end - begin));
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
      const Places indices = random_indices(random, g.batches * g.indices, g.axis_size, skip);
      Places places;
      for (std::int64_t batch = 0; batch < g.batches; ++batch) {
        for (std::int64_t outer = 0; outer < g.outer; ++outer) {
          for (std::int64_t i = 0; i < g.indices; ++i) {
            const std::int64_t index =
                resolved(indices[static_cast<std::size_t>(batch * g.indices + i)], g.axis_size);
            places.push_back(index == kSkip ? kSkip : (batch * g.outer + outer) * g.axis_size + index);
          }
        }
      }
      const auto locator = axis_locator(
          decoder_of(indices, {{g.axis_size, 1}}, skip ? OutOfBounds::drop : OutOfBounds::error), g);
      check_locator(*locator, places, g.batches * g.outer * g.axis_size);
    }
  }
}

TEST_CASE("an axis locator with more indices than it keeps decodes them each time", "[kernels]") {
  constexpr std::int64_t kMany = (1 << 20) + 3;
  Places indices(kMany);
  for (std::int64_t i = 0; i < kMany; ++i) indices[static_cast<std::size_t>(i)] = i % 5;
  const auto locator = axis_locator(decoder_of(indices, {{5, 1}}, OutOfBounds::error), {1, 2, 5, kMany});
  CHECK(locator->rows() == 2 * kMany);
  CHECK(located(*locator, kMany - 2, 4) == Places{(kMany - 2) % 5, (kMany - 1) % 5, 5, 6});
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
      Places indices;
      for (std::int64_t t = 0; t < held; ++t) {
        for (const std::int64_t size : c.selected)
          indices.push_back(random_indices(random, 1, size, skip)[0]);
      }
      const auto data_strides = strides_of(c.data_batch, c.batch);
      const auto index_strides = strides_of(c.index_batch, c.batch);
      Places places;
      for (std::int64_t b = 0; b < count(c.batch); ++b) {
        const auto at = coordinates(b, c.batch);
        const auto data_batch =
            std::inner_product(at.begin(), at.end(), data_strides.begin(), std::int64_t{0});
        const auto index_batch =
            std::inner_product(at.begin(), at.end(), index_strides.begin(), std::int64_t{0});
        for (std::int64_t t = 0; t < c.tuples; ++t) {
          std::int64_t place = data_batch * count(c.selected);
          for (std::size_t j = 0; j < axes.size(); ++j) {
            const auto at_index = static_cast<std::size_t>(index_batch * c.tuples + t) * axes.size() + j;
            const std::int64_t index = resolved(indices[at_index], axes[j].size);
            place = index == kSkip || place == kSkip ? kSkip : place + index * axes[j].stride;
          }
          places.push_back(place);
        }
      }
      const auto locator =
          tuple_locator(decoder_of(indices, axes, skip ? OutOfBounds::drop : OutOfBounds::error),
                        {c.batch, data_strides, index_strides, count(c.selected), c.tuples});
      check_locator(*locator, places, count(c.data_batch) * count(c.selected));
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
        const Places indices =
            random_indices(random, count(c.indices), std::max<std::int64_t>(c.data[a], 1), skip);
        const auto strides = row_major_strides(c.data);
        Places places;
        for (std::int64_t i = 0; i < count(c.indices); ++i) {
          auto at = coordinates(i, c.indices);
          at[a] = resolved(indices[static_cast<std::size_t>(i)], c.data[a]);
          places.push_back(at[a] == kSkip
                               ? kSkip
                               : std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0}));
        }
        const auto locator = element_locator(
            decoder_of(indices, {{c.data[a], strides[a]}}, skip ? OutOfBounds::drop : OutOfBounds::error),
            c.indices, c.data, axis);
        check_locator(*locator, places, count(c.data));
      }
    }
  }
}

}  // namespace
}  // namespace tensorop
