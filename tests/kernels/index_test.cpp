// Index decoding at the ends of every range: section 1.3 of the specification, and --oob of section 9.
#include "kernels/index/index.hpp"

#include <limits>

#include "kernels/tensors.hpp"
#include "support/catch.hpp"

namespace tensorop::kernels_index_test {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kAllBits = -1;  // 2^64 - 1 as uint64

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

// What `work` reports.
std::optional<Bad> bad_in(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const PlanFault& fault) {
    CHECK((fault.fault == Fault::index_out_of_range || fault.fault == Fault::negative_index));
    return Bad{fault.position, fault.axis};
  }
}

struct Case {
  std::string what;
  DType dtype;
  std::vector<std::int64_t> indices;
  std::vector<IndexAxis> axes;
  IndexPolicy policy;
  Offsets offsets = {};                   // of all tuples
  std::optional<Bad> bad = std::nullopt;  // or the element that is reported
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const IndexDecoder decoder = make_decoder(list_of(c.dtype, c.indices), c.axes, c.policy);
    const auto tuples = static_cast<std::int64_t>(c.indices.size() / c.axes.size());
    Offsets offsets(static_cast<std::size_t>(tuples));
    const auto bad = bad_in([&] { decoder.decode(0, tuples, offsets.data()); });
    const auto bad_in_check = bad_in([&] { decoder.check({0, tuples}); });
    CHECK(bad == c.bad);
    CHECK(bad_in_check == c.bad);
    if (!bad && !c.bad) CHECK(offsets == c.offsets);
  }
}

constexpr IndexPolicy kUsual = {};
constexpr IndexPolicy kNoNegative = {Negative::refuse, OutOfBounds::error};
constexpr IndexPolicy kZero = {Negative::count, OutOfBounds::zero};
constexpr IndexPolicy kClip = {Negative::count, OutOfBounds::clip};
constexpr IndexPolicy kWrap = {Negative::count, OutOfBounds::wrap};
constexpr IndexPolicy kDrop = {Negative::count, OutOfBounds::drop};

TEST_CASE("an index is valid from minus the size to the size less one", "[kernels]") {
  check({
      {"every valid one", DType::int64, {0, 4, -1, -5}, {{5, 1}}, kUsual, {0, 4, 4, 0}},
      {"the size", DType::int64, {0, 5}, {{5, 1}}, kUsual, {}, Bad{1, 0}},
      {"below minus the size", DType::int64, {0, 4, -6}, {{5, 1}}, kUsual, {}, Bad{2, 0}},
      {"a stride", DType::int64, {2, -1}, {{5, 7}}, kUsual, {14, 28}},
      {"the least int64", DType::int64, {kMin}, {{5, 1}}, kUsual, {}, Bad{0, 0}},
      {"the least int64 plus the largest size", DType::int64, {kMin}, {{kMax, 1}}, kUsual, {}, Bad{0, 0}},
      {"the largest int64", DType::int64, {kMax}, {{kMax, 1}}, kUsual, {}, Bad{0, 0}},
      {"the largest index there is", DType::int64, {kMax - 1}, {{kMax, 1}}, kUsual, {kMax - 1}},
      {"the least one there is", DType::int64, {-kMax}, {{kMax, 1}}, kUsual, {0}},
      {"a bad one whose offset would overflow", DType::int64, {kMax}, {{5, kMax}}, kUsual, {}, Bad{0, 0}},
      {"-1 as int8, where the size needs more bits", DType::int8, {-1, -128}, {{200, 1}}, kUsual, {199, 72}},
      {"127 as int8", DType::int8, {127}, {{128, 1}}, kUsual, {127}},
      {"-128 as int8", DType::int8, {-128}, {{127, 1}}, kUsual, {}, Bad{0, 0}},
      {"-1 as int16", DType::int16, {-1}, {{40000, 1}}, kUsual, {39999}},
      {"-1 as int32", DType::int32, {-1}, {{3000000000, 1}}, kUsual, {2999999999}},
      {"255 as uint8 is no -1", DType::uint8, {255}, {{255, 1}}, kUsual, {}, Bad{0, 0}},
      {"255 as uint8", DType::uint8, {255}, {{256, 1}}, kUsual, {255}},
      {"65535 as uint16", DType::uint16, {65535}, {{65536, 1}}, kUsual, {65535}},
      {"2^32-1 as uint32", DType::uint32, {4294967295}, {{4294967296, 1}}, kUsual, {4294967295}},
      {"2^32-1 as uint32 is no -1", DType::uint32, {4294967295}, {{5, 1}}, kUsual, {}, Bad{0, 0}},
      {"2^64-1 as uint64 is no -1", DType::uint64, {kAllBits}, {{5, 1}}, kUsual, {}, Bad{0, 0}},
      {"2^64-1 as uint64", DType::uint64, {kAllBits}, {{kMax, 1}}, kUsual, {}, Bad{0, 0}},
      {"2^63 as uint64", DType::uint64, {kMin}, {{kMax, 1}}, kUsual, {}, Bad{0, 0}},
      {"2^63-2 as uint64", DType::uint64, {kMax - 1}, {{kMax, 1}}, kUsual, {kMax - 1}},
      {"0 of nothing", DType::int64, {0}, {{0, 1}}, kUsual, {}, Bad{0, 0}},
      {"-1 of nothing", DType::int64, {-1}, {{0, 1}}, kUsual, {}, Bad{0, 0}},
  });
}

TEST_CASE("without negative indices an index is valid if it is non-negative", "[kernels]") {
  check({
      {"0 and the last", DType::int32, {0, 4}, {{5, 1}}, kNoNegative, {0, 4}},
      {"-1", DType::int32, {0, -1}, {{5, 1}}, kNoNegative, {}, Bad{1, 0}},
      {"the least int64", DType::int64, {kMin}, {{5, 1}}, kNoNegative, {}, Bad{0, 0}},
      {"the size", DType::int8, {5}, {{5, 1}}, kNoNegative, {}, Bad{0, 0}},
      {"255 as uint8", DType::uint8, {255}, {{256, 1}}, kNoNegative, {255}},
  });
}

TEST_CASE("each component of a tuple is checked against its own axis, in row-major order", "[kernels]") {
  const std::vector<IndexAxis> axes = {{2, 3}, {3, 1}};
  check({
      {"valid tuples", DType::int64, {1, 2, -1, -1, 0, -3}, axes, kUsual, {5, 5, 0}},
      {"a second component that would fall into the next row",
       DType::int64,
       {0, 3},
       axes,
       kUsual,
       {},
       Bad{1, 1}},
      {"a first component", DType::int64, {0, 0, 2, 0}, axes, kUsual, {}, Bad{2, 0}},
      {"the earlier element before the earlier component",
       DType::int64,
       {0, 3, 2, 0},
       axes,
       kUsual,
       {},
       Bad{1, 1}},
      {"both of a tuple", DType::int64, {9, 9}, axes, kUsual, {}, Bad{0, 0}},
      {"three components", DType::uint8, {1, 2, 3}, {{2, 12}, {3, 4}, {4, 1}}, kUsual, {23}},
      {"one of an axis without elements", DType::int64, {0, 0}, {{2, 0}, {0, 1}}, kUsual, {}, Bad{1, 1}},
  });
}

TEST_CASE("clip takes the nearest element, after negative indices in range were counted from the end",
          "[kernels]") {
  check({
      {"around the range", DType::int64, {5, 4, -1, -5, -6}, {{5, 1}}, kClip, {4, 4, 4, 0, 0}},
      {"far out", DType::int64, {kMin, kMax}, {{5, 1}}, kClip, {0, 4}},
      {"2^64-1", DType::uint64, {kAllBits, kMin}, {{5, 1}}, kClip, {4, 4}},
      {"int8 against 200", DType::int8, {-128, 127, -1}, {{200, 1}}, kClip, {72, 127, 199}},
      {"each component", DType::int64, {9, -9}, {{2, 3}, {3, 1}}, kClip, {3}},
      {"nothing to clip to", DType::int64, {0}, {{0, 1}}, kClip, {}, Bad{0, 0}},
      {"nothing to clip to in the second component",
       DType::int64,
       {9, 9, 0, 0},
       {{2, 0}, {0, 1}},
       kClip,
       {},
       Bad{1, 1}},
  });
}

TEST_CASE("negative indices may be out of range, or an error whatever out of range means", "[kernels]") {
  constexpr IndexPolicy kRawClip = {Negative::raw, OutOfBounds::clip};
  constexpr IndexPolicy kRawZero = {Negative::raw, OutOfBounds::zero};
  constexpr IndexPolicy kNoNegativeWrap = {Negative::refuse, OutOfBounds::wrap};
  check({
      {"clamped", DType::int64, {-1, -5, 7, 3, kMin}, {{5, 1}}, kRawClip, {0, 0, 4, 3, 0}},
      {"skipped", DType::int8, {-1, 4, 5}, {{5, 1}}, kRawZero, {kSkip, 4, kSkip}},
      {"wrapped", DType::int64, {5, kMax}, {{5, 1}}, kNoNegativeWrap, {0, 2}},
      {"refused", DType::int64, {5, -1}, {{5, 1}}, kNoNegativeWrap, {}, Bad{1, 0}},
  });
}

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

TEST_CASE("wrap takes the remainder, which is never negative", "[kernels]") {
  check({
      {"around the range", DType::int64, {5, -6, 12, -13, -5, 4}, {{5, 1}}, kWrap, {0, 4, 2, 2, 0, 4}},
      {"far out", DType::int64, {kMin, kMax}, {{5, 1}}, kWrap, {2, 2}},
      {"2^64-1 and 2^63", DType::uint64, {kAllBits, kMin}, {{7, 1}}, kWrap, {1, 1}},
      {"2^64-1 of 2^63-1", DType::uint64, {kAllBits}, {{kMax, 1}}, kWrap, {1}},
      {"the least int64 of 2^63-1", DType::int64, {kMin}, {{kMax, 1}}, kWrap, {kMax - 1}},
      {"int8 against 3", DType::int8, {-128, 127}, {{3, 1}}, kWrap, {1, 1}},
      {"of one", DType::int8, {-128, 127, 0}, {{1, 1}}, kWrap, {0, 0, 0}},
      {"nothing to wrap to", DType::int64, {0}, {{0, 1}}, kWrap, {}, Bad{0, 0}},
  });
}

TEST_CASE("zero and drop skip what is out of range, the whole tuple", "[kernels]") {
  for (const IndexPolicy& policy : {kZero, kDrop}) {
    check({
        {"around the range", DType::int64, {5, 0, -6, -5, -1}, {{5, 2}}, policy, {kSkip, 0, kSkip, 0, 8}},
        {"far out", DType::int64, {kMin, kMax}, {{5, 1}}, policy, {kSkip, kSkip}},
        {"2^64-1", DType::uint64, {kAllBits, kMin, 4}, {{5, 1}}, policy, {kSkip, kSkip, 4}},
        {"either component",
         DType::int64,
         {2, 0, 0, 3, 1, 2, 5, 5},
         {{2, 3}, {3, 1}},
         policy,
         {kSkip, kSkip, 5, kSkip}},
        {"an axis without elements", DType::int64, {0, -1}, {{0, 1}}, policy, {kSkip, kSkip}},
    });
  }
}

TEST_CASE("indices of every dtype are decoded alike", "[kernels]") {
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (!kIntegerTypes.contains(dtype)) continue;
    const bool is_signed = kSignedTypes.contains(dtype);
    const std::int64_t last = is_signed ? -1 : 99;
    check({
        {std::string(name(dtype)), dtype, {7, last, 0, 50}, {{100, 3}}, kUsual, {21, 297, 0, 150}},
        {std::string(name(dtype)), dtype, {7, 99, 100, 1}, {{100, 1}}, kUsual, {}, Bad{2, 0}},
        {std::string(name(dtype)), dtype, {7, 100, last}, {{100, 1}}, kClip, {7, 99, 99}},
        {std::string(name(dtype)), dtype, {7, 105, last}, {{100, 1}}, kWrap, {7, 5, 99}},
        {std::string(name(dtype)), dtype, {7, 100, last}, {{100, 1}}, kZero, {7, kSkip, 99}},
    });
  }
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
