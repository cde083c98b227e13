// Where elements differ along each axis, against counting one element after the other.
#include "kernels/measures/differing_places.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "tensor/shape.hpp"

namespace tensorop::kernels_differing_places_test {
namespace {

std::vector<std::vector<std::int64_t>> count_naively(const std::vector<bool>& differs, const Shape& shape,
                                                     const std::vector<AxisPlaces>& like) {
  std::vector<std::vector<std::int64_t>> out;
  for (const AxisPlaces& axis : like) out.emplace_back(axis.counts.size());
  for (std::size_t at = 0; at < differs.size(); ++at) {
    if (!differs[at]) continue;
    const std::vector<std::int64_t> position = coordinates(to_int64(at), shape);
    for (std::size_t i = 0; i < like.size(); ++i) {
      ++out[i][to_size(position[to_size(like[i].axis)] >> like[i].shift)];
    }
  }
  return out;
}

}  // namespace

TEST_CASE("places of elements are counted along each axis as one after the other", "[places]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  const std::vector<Shape> shapes = {{7},          {1},          {},           {3, 5},       {5000},
                                     {2, 3000, 2}, {1, 4, 1, 6}, {4, 3, 2, 5}, {2000, 3, 1}, {2, 2, 2, 2},
                                     {1, 1},       {1024, 4},    {1025, 4}};
  for (std::uint64_t number = 0; number < 400; ++number) {
    Random random(seed, number);
    const Shape shape = random.pick(shapes);
    CAPTURE(number, to_string(shape));
    const std::int64_t elements = count(shape);
    std::vector<bool> differs(to_size(elements));
    std::vector<DifferingPlaces> parts(2, DifferingPlaces(shape));
    const std::int64_t longest = random.pick<std::int64_t>({1, 3, 40, elements});
    for (std::int64_t at = 0; at < elements;) {
      const std::int64_t end = std::min(elements, at + random.between(1, longest));
      std::vector<std::uint8_t> marks(to_size(end - at));
      const int share = random.chance(50) ? 100 : static_cast<int>(random.between(0, 100));
      for (std::size_t i = 0; i < marks.size(); ++i) {
        marks[i] = random.chance(share) ? 1 : 0;
        differs[to_size(at) + i] = marks[i] == 1;
      }
      parts[random.chance(50) ? 1 : 0].add(marks, at);
      at = end;
    }
    parts[0].merge(parts[1]);
    const std::vector<AxisPlaces>& axes = parts[0].axes();
    CHECK(to_int64(axes.size()) == std::ranges::count_if(shape, [](std::int64_t size) { return size > 1; }));
    const auto expected = count_naively(differs, shape, axes);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      CHECK(axes[i].counts == expected[i]);
      CHECK(to_int64(axes[i].counts.size()) <= DifferingPlaces::kMostCounts);
    }
  }
}

TEST_CASE("places along axes of any length take a fixed amount of memory", "[places]") {
  DifferingPlaces places({1, std::int64_t{1} << 40, std::int64_t{1} << 20});
  places.add(std::vector<std::uint8_t>{1, 1}, 5);
  places.add(std::vector<std::uint8_t>{0, 1}, (std::int64_t{1} << 60) - 2);
  const std::vector<AxisPlaces>& axes = places.axes();
  REQUIRE(axes.size() == 2);
  for (const AxisPlaces& axis : axes) {
    CHECK(axis.counts.size() == 1024);
    CHECK(axis.counts.front() == 2);
    CHECK(axis.counts.back() == 1);
  }
}

}  // namespace tensorop::kernels_differing_places_test
