#include "ranks/exchange.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "kernels/rows/partition.hpp"

namespace tensorop {

Range part_of(std::int64_t size, int rank, int ranks) {
  const std::int64_t first = part_bound(size, rank, ranks);
  return {first, part_bound(size, rank + 1, ranks) - first};
}

ExchangeBuffers::ExchangeBuffers(const Ranks& ranks, std::int64_t item_bytes, std::int64_t most_send,
                                 std::int64_t most_receive)
    : send_counts(to_size(ranks.size())),
      received_counts(to_size(ranks.size())),
      ranks_(ranks),
      item_bytes_(item_bytes),
      send_(most_send * item_bytes, "a buffer for rows that are sent"),
      received_(most_receive * item_bytes, "a buffer for rows that are received") {}

void ExchangeBuffers::exchange_counts() {
  ranks_.exchange_counts(send_counts, received_counts);
}

void ExchangeBuffers::exchange(RankCost& cost) {
  std::vector<std::int64_t> send_bytes(send_counts);
  std::vector<std::int64_t> received_bytes(received_counts);
  for (std::int64_t& bytes : send_bytes) bytes *= item_bytes_;
  for (std::int64_t& bytes : received_bytes) bytes *= item_bytes_;
  for (std::size_t rank = 0; rank < send_bytes.size(); ++rank)
    cost.sent += rank == to_size(ranks_.rank()) ? 0 : send_bytes[rank];
  ranks_.exchange(send_.data(), send_bytes, received_.data(), received_bytes);
}

RowRequests::RowRequests(const RowMoves& moves, Range rows, int ranks, const Threads& threads) {
  if (rows.count != 0) {
    Partition by_data(sizes_to_read(moves.data_rows(), rows.count), nullptr);
    by_data.put(moves.map, rows, nullptr, threads);
    const std::vector<std::int64_t> firsts = by_data.firsts();
    moves_.resize(to_size(firsts.back()));
    threads.for_each(by_data.sizes().buckets(), [&](std::int64_t i, int /*worker*/) {
      Move* const first = moves_.data() + firsts[to_size(i)];
      Move* end = first;
      by_data.visit(i, [&](const Move* some, std::int64_t count) { end = std::copy_n(some, count, end); });
      std::ranges::sort(first, end, {}, &Move::target);
    });
  }
  const std::span<const Move> all = moves_;
  for (int owner = 0; owner <= ranks; ++owner) {
    const auto begin =
        std::ranges::lower_bound(all, part_bound(moves.data_rows(), owner, ranks), {}, &Move::target);
    begins_.push_back(static_cast<std::size_t>(begin - all.begin()));
  }
}

std::span<const Move> RowRequests::moves_from(int owner) const {
  const auto at = to_size(owner);
  return std::span(moves_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
}

std::int64_t RowRequests::distinct(int owner) const {
  const std::span<const Move> moves = moves_from(owner);
  std::int64_t distinct = moves.empty() ? 0 : 1;
  for (std::size_t i = 1; i < moves.size(); ++i) distinct += moves[i].target != moves[i - 1].target ? 1 : 0;
  return distinct;
}

}  // namespace tensorop
