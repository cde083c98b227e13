// Prints what ranks read, send and write of a gather of 10 million rows of 512 bytes from 100 million (48
// GiB), by the requests that they would make: no data is there. Takes a minute, and a gigabyte of memory.
#include <cstdio>

#include "support/exchange_cost.hpp"

namespace {

using tensorop::RankCost;

void print(const char* name, const tensorop::CountedGather& gather) {
  std::printf(
      "%s\n| ranks | read, GiB | sent, GiB | bytes sent an index | written, GiB | most read | most sent |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n",
      name);
  constexpr double kGiB = 1 << 30;
  for (const int ranks : {1, 2, 4, 8, 16, 32, 64}) {
    const std::vector<RankCost> costs = tensorop::count_exchange(gather, ranks);
    const auto all = [&](std::int64_t RankCost::*value) { return static_cast<double>(total(costs, value)); };
    const auto most = [&](std::int64_t RankCost::*value) { return 100 * imbalance(costs, value); };
    std::printf("| %d | %.2f | %.2f | %.0f | %.2f | +%.1f %% | +%.1f %% |\n", ranks,
                all(&RankCost::read) / kGiB, all(&RankCost::sent) / kGiB,
                all(&RankCost::sent) / static_cast<double>(gather.indices.size()),
                all(&RankCost::written) / kGiB, most(&RankCost::read), most(&RankCost::sent));
  }
}

}  // namespace

int main() {
  constexpr std::int64_t kRows = 10'000'000;
  constexpr std::int64_t kDataRows = 100'000'000;
  print("uniform", {kDataRows, 512, tensorop::uniform_indices(kRows, kDataRows, 1)});
  using tensorop::HotRows;
  print("Zipf", {kDataRows, 512, tensorop::zipf_indices(kRows, kDataRows, HotRows::anywhere, 1)});
  print("Zipf, hot rows first",
        {kDataRows, 512, tensorop::zipf_indices(kRows, kDataRows, HotRows::first, 1)});
}
