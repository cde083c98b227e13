#include "support/exchange_cost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "ranks/exchange.hpp"

namespace tensorop {
namespace {

template <class Draw>
Tensor indices_of(std::int64_t count, const Draw& draw) {
  auto storage = std::make_shared<Storage>(count * to_int64(sizeof(std::int64_t)));
  auto* const out = reinterpret_cast<std::int64_t*>(storage->data());
  for (std::int64_t i = 0; i < count; ++i) out[i] = draw();
  return {DType::int64, {count, 1}, storage};
}

}  // namespace

std::vector<RankCost> count_exchange(const CountedGather& gather, int ranks) {
  const std::int64_t rows = gather.indices.size();
  const RowMap map(IndexDecoder(gather.indices, {{gather.data_rows, 1, 0}}, {}), {{rows, 1, 0}});
  const RowMoves moves = {map, Tensor(DType::uint8, {gather.data_rows * gather.row_bytes}), gather.row_bytes};
  std::vector<RankCost> costs(to_size(ranks));
  std::vector<bool> pages(to_size(gather.data_rows * gather.row_bytes / kPage + 1));
  for (int asker = 0; asker < ranks; ++asker) {
    const Range own = part_of(rows, asker, ranks);
    const RowRequests requests(moves, own, ranks, Threads(1));
    costs[to_size(asker)].written += own.count * gather.row_bytes;
    costs[to_size(asker)].read += own.count * to_int64(sizeof(std::int64_t));
    for (int owner = 0; owner < ranks; ++owner) {
      RankCost& cost = costs[to_size(owner)];
      for (const Move& move : requests.moves_from(owner)) {
        const std::int64_t first = move.target * gather.row_bytes;
        for (std::int64_t page = first / kPage; page <= (first + gather.row_bytes - 1) / kPage; ++page) {
          cost.read += pages[to_size(page)] ? 0 : kPage;
          pages[to_size(page)] = true;
        }
      }
      if (owner == asker) continue;
      costs[to_size(asker)].sent += requests.distinct(owner) * kRequestBytes;
      cost.sent += requests.distinct(owner) * gather.row_bytes;
    }
  }
  return costs;
}

std::int64_t total(const std::vector<RankCost>& costs, std::int64_t RankCost::*value) {
  std::int64_t sum = 0;
  for (const RankCost& cost : costs) sum += cost.*value;
  return sum;
}

double imbalance(const std::vector<RankCost>& costs, std::int64_t RankCost::*value) {
  std::int64_t most = 0;
  for (const RankCost& cost : costs) most = std::max(most, cost.*value);
  const double mean = static_cast<double>(total(costs, value)) / static_cast<double>(costs.size());
  return mean == 0 ? 0 : static_cast<double>(most) / mean - 1;
}

Tensor uniform_indices(std::int64_t count, std::int64_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return indices_of(count,
                    [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)); });
}

Tensor zipf_indices(std::int64_t count, std::int64_t rows, HotRows hot, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const double steps = std::log(static_cast<double>(rows));
  // Any odd number spreads the rows, as good as evenly.
  const std::uint64_t spread = hot == HotRows::first ? 1 : 0x9e3779b97f4a7c15;
  return indices_of(count, [&] {
    // The distribution of 1/k, as of a continuous variable.
    const auto k = static_cast<std::uint64_t>(std::exp(unit(random) * steps));
    return static_cast<std::int64_t>(k * spread % static_cast<std::uint64_t>(rows));
  });
}

}  // namespace tensorop
