// What ranks read, send and write, counted without data: tests/bench/exchange_cost.cpp has larger problems.
#include "ranks/exchange.hpp"

#include "kernels/schedules/gather_pass.hpp"
#include "support/catch.hpp"
#include "support/exchange_cost.hpp"

namespace tensorop::ranks_cost_test {
namespace {

constexpr std::int64_t kRows = 400'000;  // of the result
constexpr std::int64_t kDataRows = 4'000'000;
constexpr std::int64_t kRowBytes = 512;

TEST_CASE("ranks read data once in all, and send each row once to each rank that asks", "[release][ranks]") {
  const CountedGather uniform = {kDataRows, kRowBytes, uniform_indices(kRows, kDataRows, 7)};
  const std::int64_t read_by_one = total(count_exchange(uniform, 1), &RankCost::read);
  for (const int ranks : {1, 2, 3, 4, 7, 8, 16, 32, 64}) {
    CAPTURE(ranks);
    const std::vector<RankCost> costs = count_exchange(uniform, ranks);
    CHECK(total(costs, &RankCost::read) == read_by_one);
    CHECK(total(costs, &RankCost::written) == kRows * kRowBytes);
    CHECK(total(costs, &RankCost::sent) <= kRows * (kRowBytes + 16));
    CHECK(imbalance(costs, &RankCost::read) < 0.1);
    CHECK(imbalance(costs, &RankCost::sent) < 0.1);
    CHECK(imbalance(costs, &RankCost::written) < 0.1);
  }
  CHECK(total(count_exchange(uniform, 1), &RankCost::sent) == 0);
}

TEST_CASE("a row that is asked for often is sent once to each rank that asks", "[release][ranks]") {
  const CountedGather one_row = {kDataRows, kRowBytes, uniform_indices(kRows, 1, 7)};
  // All but the rank that owns row 0 ask for it once.
  CHECK(total(count_exchange(one_row, 8), &RankCost::sent) == 7 * (kRowBytes + kRequestBytes));
  const CountedGather skewed = {kDataRows, kRowBytes, zipf_indices(kRows, kDataRows, HotRows::anywhere, 7)};
  const std::vector<RankCost> costs = count_exchange(skewed, 8);
  // Far fewer rows than are asked for: about a third of the requests are for the first 100 rows.
  CHECK(total(costs, &RankCost::sent) < kRows * (kRowBytes + kRequestBytes) * 2 / 3);
}

TEST_CASE("passes are as long as memory can sort, where that reads less", "[release][ranks]") {
  struct Case {
    PassFacts facts;
    std::int64_t band_rows;
    std::int64_t pass_rows;
    std::int64_t passes;
  };
  for (const auto& [facts, band_rows, pass_rows, passes] : std::vector<Case>{
           {{250, 512, 1 << 20, kRequestSortBytes, 1 << 29}, 250, 250, 1},
           {{250, 512, 1 << 20, kRequestSortBytes, 100 * 512 * 2}, 161, 250, 1},
           {{250, 512, 100 << 10, kRequestSortBytes, 100 * 28 * 2}, 4, 100, 3},
           // Few of many rows: a page for each in any case.
           {{250, 512, 1 << 20, kRequestSortBytes, 100 * 28 * 2}, 10, 10, 25},
           {{250, 512, 1 << 20, kRequestSortBytes, 0}, 1, 1, 250},
           {{1, 512, 1 << 20, kRequestSortBytes, 1 << 29}, 1, 1, 1},
       }) {
    const PassSizes got = choose_passes(facts);
    CHECK(got.band_rows == band_rows);
    CHECK(got.pass_rows == pass_rows);
    CHECK(got.passes(facts.rows) == passes);
  }
}

}  // namespace
}  // namespace tensorop::ranks_cost_test
