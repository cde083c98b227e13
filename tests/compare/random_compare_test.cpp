// Tensors large enough to be split between threads, against a loop over all elements.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "report/comparison_text.hpp"
#include "report/finding_json.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop::compare_random_compare_test {
namespace {

// More than three blocks of a megabyte, the last one not full.
constexpr std::int64_t kRows = 1000;
constexpr std::int64_t kColumns = 901;
constexpr std::int64_t kElements = kRows * kColumns;

Tensor tensor_of(const std::vector<float>& values) {
  auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(values.size() * sizeof(float)));
  std::memcpy(storage->data(), values.data(), values.size() * sizeof(float));
  return {DType::float32, {kRows, kColumns}, storage};
}

struct Naive {
  std::int64_t differing = 0;
  std::int64_t first = -1;
  std::int64_t worst = -1;
  double excess = 0;
  double absolute = 0;
  std::int64_t absolute_at = -1;
  std::vector<std::pair<double, std::int64_t>> failing;  // excess and position of all that differ
};

// Elements at which `left_out` is not 0 are not compared.
Naive compare_naively(const std::vector<float>& actual, const std::vector<float>& expected, double rtol,
                      double atol, const std::vector<std::uint8_t>& left_out = {}) {
  Naive out;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!left_out.empty() && left_out[i] != 0) continue;
    const auto at = static_cast<std::int64_t>(i);
    const double off = std::fabs(static_cast<double>(actual[i]) - static_cast<double>(expected[i]));
    const double bound = atol + rtol * std::fabs(static_cast<double>(expected[i]));
    if (off > out.absolute) {
      out.absolute = off;
      out.absolute_at = at;
    }
    if (off <= bound) continue;
    ++out.differing;
    out.failing.emplace_back(off - bound, at);
    if (out.first < 0) out.first = at;
    if (off - bound > out.excess) {
      out.excess = off - bound;
      out.worst = at;
    }
  }
  return out;
}

std::vector<std::int64_t> positions_of(const std::vector<DifferingElement>& elements) {
  std::vector<std::int64_t> out;
  for (const DifferingElement& element : elements) {
    out.push_back(element.position[0] * kColumns + element.position[1]);
  }
  return out;
}

// The positions of the first of `failing` in this order.
template <class Order>
std::vector<std::int64_t> listed(std::vector<std::pair<double, std::int64_t>> failing, std::size_t count,
                                 const Order& order) {
  std::ranges::stable_sort(failing, order);
  failing.resize(std::min(failing.size(), count));
  std::vector<std::int64_t> out;
  for (const auto& [excess, position] : failing) out.push_back(position);
  return out;
}

std::string both_reports(const Comparison& comparison) {
  return comparison_text(comparison) + comparison_json(comparison).text();
}

struct Pair {
  std::vector<float> actual;
  std::vector<float> expected;
};

// Errors are few steps of the same size, so that many places share the largest one.
Pair random_pair(Random& random, int percent_off) {
  Pair out;
  for (std::int64_t i = 0; i < kElements; ++i) {
    const auto value = static_cast<float>(random.between(-1000, 1000));
    out.expected.push_back(value);
    const bool off = percent_off > 0 && random.chance(percent_off);
    out.actual.push_back(off ? value + static_cast<float>(random.between(-4, 4)) / 4 : value);
  }
  return out;
}

}  // namespace

TEST_CASE("large tensors give the same report for any number of threads", "[release][compare][random]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  for (const int percent_off : {0, 1, 100}) {
    Pair pair = random_pair(random, percent_off);
    if (percent_off == 1) {
      // One alone at the end of the first block, one at the beginning of the last one.
      for (const std::size_t at : {std::size_t{262143}, std::size_t{786432}}) pair.actual[at] += 100;
    }
    const Tensor actual = tensor_of(pair.actual);
    const Tensor expected = tensor_of(pair.expected);
    for (const double tolerance : {0.0, 1e-3}) {
      CAPTURE(percent_off, tolerance);
      Tolerances given;
      given.rtol = tolerance;
      given.atol = tolerance / 2;
      const Naive naive = compare_naively(pair.actual, pair.expected, tolerance, tolerance / 2);
      const Comparison one = compare_tensors(actual, expected, given, Threads(1));
      CHECK(one.difference.differing == naive.differing);
      CHECK(one.difference.first == naive.first);
      CHECK(one.difference.worst(DType::float32, one.tolerance) == naive.worst);
      CHECK(one.difference.absolute.value == naive.absolute);
      CHECK(one.difference.absolute.at == naive.absolute_at);
      for (const int threads : {2, 3, 7}) {
        CAPTURE(threads);
        CHECK(both_reports(compare_tensors(actual, expected, given, Threads(threads))) == both_reports(one));
        const Comparison verdict =
            compare_tensors(actual, expected, given, Threads(threads), {.depth = CompareDepth::verdict});
        CHECK(verdict.equal == one.equal);
      }
      for (const std::size_t show : {std::size_t{1}, std::size_t{5}, std::size_t{3000}}) {
        CAPTURE(show);
        const auto by_position = [](const auto& a, const auto& b) { return a.second < b.second; };
        const auto by_excess = [](const auto& a, const auto& b) { return a.first > b.first; };
        const Comparison lists =
            compare_tensors(actual, expected, given, Threads(1), {.show = static_cast<std::int64_t>(show)});
        CHECK(positions_of(lists.first_shown) == listed(naive.failing, show, by_position));
        CHECK(positions_of(lists.worst_shown) == listed(naive.failing, show, by_excess));
        for (const int threads : {2, 3, 7}) {
          CAPTURE(threads);
          CHECK(both_reports(compare_tensors(actual, expected, given, Threads(threads),
                                             {.show = lists.shown})) == both_reports(lists));
        }
      }
      // The verdict alone must not stop before it is certain.
      given.max_mismatch.count = naive.differing;
      CHECK(compare_tensors(actual, expected, given, Threads(3), {.depth = CompareDepth::verdict}).equal);
      given.max_mismatch.count = naive.differing - 1;
      if (naive.differing > 0) {
        CHECK_FALSE(
            compare_tensors(actual, expected, given, Threads(3), {.depth = CompareDepth::verdict}).equal);
      }
    }
  }
}

TEST_CASE("a mask of large tensors gives the same report for any number of threads",
          "[release][compare][random]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  const Pair pair = random_pair(random, 30);
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < kElements; ++i) {
    bytes.push_back(random.chance(50) ? static_cast<std::uint8_t>(random.between(1, 255)) : std::uint8_t{0});
  }
  auto storage = std::make_shared<Storage>(kElements);
  std::memcpy(storage->data(), bytes.data(), bytes.size());
  const Tensor mask(DType::boolean, {kRows, kColumns}, storage);
  const Tensor actual = tensor_of(pair.actual);
  const Tensor expected = tensor_of(pair.expected);
  const Naive naive = compare_naively(pair.actual, pair.expected, 0, 0, bytes);
  const Comparison one = compare_tensors(actual, expected, {}, Threads(1), {.show = 5, .left_out = &mask});
  CHECK(one.left_out == kElements - std::ranges::count(bytes, 0));
  CHECK(one.elements == std::ranges::count(bytes, 0));
  CHECK(one.difference.differing == naive.differing);
  CHECK(one.difference.first == naive.first);
  CHECK(one.difference.worst(DType::float32, one.tolerance) == naive.worst);
  CHECK(positions_of(one.first_shown) ==
        listed(naive.failing, 5, [](const auto& a, const auto& b) { return a.second < b.second; }));
  CHECK(positions_of(one.worst_shown) ==
        listed(naive.failing, 5, [](const auto& a, const auto& b) { return a.first > b.first; }));
  for (const int threads : {2, 7}) {
    CAPTURE(threads);
    CHECK(both_reports(compare_tensors(actual, expected, {}, Threads(threads),
                                       {.show = 5, .left_out = &mask})) == both_reports(one));
  }
  // None of the differing elements is compared.
  std::vector<std::uint8_t> differing;
  for (std::size_t i = 0; i < pair.actual.size(); ++i)
    differing.push_back(pair.actual[i] != pair.expected[i]);
  std::memcpy(storage->data(), differing.data(), differing.size());
  CHECK(compare_tensors(actual, expected, {}, Threads(3), {.depth = CompareDepth::verdict, .left_out = &mask})
            .equal);
}

}  // namespace tensorop::compare_random_compare_test
