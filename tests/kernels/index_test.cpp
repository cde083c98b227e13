// Index decoding: windows, parts, and the lowest bad element. Values at the ends of every range:
// testdata/rules/index_values.txt.
#include "kernels/index/index.hpp"

#include <limits>

#include "kernels/tensors.hpp"
#include "support/catch.hpp"

namespace tensorop::kernels_index_test {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

using Offsets = std::vector<std::int64_t>;

// The element that was reported.
struct Bad {
  std::int64_t position;
  std::int64_t component;
  friend bool operator==(const Bad&, const Bad&) = default;
};

// Axes are numbered by component.
IndexDecoder make_decoder(const Tensor& indices, std::vector<IndexAxis> axes, const IndexPolicy& policy) {
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i].axis = static_cast<std::int64_t>(i);
  return {indices, axes, policy};
}

// The fault that `work` reports.
std::optional<Bad> bad_in(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const PlanFault& fault) {
    CHECK((fault.fault == Fault::index_out_of_range || fault.fault == Fault::negative_index));
    return Bad{fault.position, fault.axis};
  }
}

constexpr IndexPolicy kUsual = {};

TEST_CASE("an index stands for a window of tuples, which wraps at the end of the axis", "[kernels]") {
  const IndexDecoder decoder = make_decoder(list_of(DType::int64, {0, 3, kMax, 5}), {{5, 1, 0, 4}},
                                            {Negative::refuse, OutOfBounds::wrap});
  const Offsets all = {0, 1, 2, 3, 3, 4, 0, 1, 2, 3, 4, 0, 0, 1, 2, 3};
  REQUIRE(decoder.tuples() == 16);
  for (std::size_t first = 0; first < all.size(); ++first) {
    for (std::size_t end = first; end <= all.size(); ++end) {
      Offsets part(end - first);
      decoder.decode(static_cast<std::int64_t>(first), static_cast<std::int64_t>(part.size()), part.data());
      CHECK(part == Offsets(all.begin() + static_cast<std::ptrdiff_t>(first),
                            all.begin() + static_cast<std::ptrdiff_t>(end)));
    }
  }
  CHECK(decoder.element_of(5) == 1);
}

TEST_CASE("elements of a window that are out of range are dropped one by one, on every axis", "[kernels]") {
  // The windows (2,3) that begin at (-1,2) and (1,0) of a tensor (3,4); the components are two elements
  // apart.
  const IndexDecoder decoder(list_of(DType::int64, {-1, 1, 2, 0}), {{3, 4, 0, 2}, {4, 1, 1, 3}},
                             {Negative::raw, OutOfBounds::drop}, 2);
  const Offsets all = {kSkip, kSkip, kSkip, 2, 3, kSkip, 4, 5, 6, 8, 9, 10};
  REQUIRE(decoder.tuples() == 12);
  for (std::size_t first = 0; first < all.size(); ++first) {
    Offsets part(all.size() - first);
    decoder.decode(static_cast<std::int64_t>(first), static_cast<std::int64_t>(part.size()), part.data());
    CHECK(part == Offsets(all.begin() + static_cast<std::ptrdiff_t>(first), all.end()));
  }
  CHECK(decoder.element_of(7, 0) == 1);
  CHECK(decoder.element_of(7, 1) == 3);
  CHECK(decoder.tuple_of(3) == 6);
  CHECK(decoder.tuple_of(2) == 0);
  // Far from the axis no sum overflows.
  const IndexDecoder far(list_of(DType::int64, {kMin, kMax}), {{5, 1, 0, 5}},
                         {Negative::raw, OutOfBounds::drop});
  Offsets none(10);
  far.decode(0, 10, none.data());
  CHECK(none == Offsets(10, kSkip));
}

TEST_CASE("tuples without components all have offset 0", "[kernels]") {
  const IndexDecoder decoder = make_decoder(Tensor(DType::int64, {3, 0}), {}, kUsual);
  Offsets offsets(3, 9);
  decoder.decode(0, 3, offsets.data());
  CHECK(offsets == Offsets{0, 0, 0});
  CHECK(decoder.tuples() == 0);  // none can be bad
}

TEST_CASE("a part of the tuples is decoded and reported by its position in the whole", "[kernels]") {
  const IndexDecoder decoder =
      make_decoder(list_of(DType::int16, {0, 1, 2, 3, 9, 0}), {{5, 10}, {4, 1}}, kUsual);
  Offsets offsets(1);
  decoder.decode(1, 1, offsets.data());
  CHECK(offsets == Offsets{23});
  offsets.resize(2);
  CHECK(bad_in([&] { decoder.decode(1, 2, offsets.data()); }) == Bad{4, 0});
}

TEST_CASE("the lowest bad element of a range is reported", "[kernels]") {
  constexpr std::int64_t kLength = 300000;
  for (const std::int64_t lowest : {std::int64_t{0}, std::int64_t{1023}, std::int64_t{262144}, kLength - 1}) {
    std::vector<std::int64_t> values(kLength, 1);
    for (std::int64_t bad = lowest; bad < kLength; bad += 99991) values[static_cast<std::size_t>(bad)] = 7;
    const IndexDecoder decoder = make_decoder(list_of(DType::int32, values), {{5, 1}}, kUsual);
    CHECK(bad_in([&] { decoder.check({0, kLength}); }) == Bad{lowest, 0});
    CHECK(!bad_in([&] { decoder.check({0, lowest}); }));
    CHECK(bad_in([&] { decoder.check({lowest, 1}); }) == Bad{lowest, 0});
  }
}

}  // namespace
}  // namespace tensorop::kernels_index_test
