#include "ranks/row_requests.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "kernels/rows/partition.hpp"

namespace tensorop {
namespace {

// What sorting takes, for each row.
constexpr std::int64_t kRequestSortBytes = 28;

}  // namespace

Range part_of(std::int64_t size, int rank, int ranks) {
  const std::int64_t first = part_bound(size, rank, ranks);
  return {first, part_bound(size, rank + 1, ranks) - first};
}

GatherWindows gather_windows(std::int64_t rows, std::int64_t row_bytes, int ranks, std::int64_t memory) {
  const std::int64_t part = ceil_div(rows, ranks);
  const auto most = [&](std::int64_t bytes, std::int64_t each) {
    return std::clamp<std::int64_t>(bytes / each, 1, part);
  };
  const std::int64_t direct = most(memory / 2, row_bytes + kRequestSortBytes);
  if (direct == part) return {part, part, 1};
  // A quarter for sorting, a quarter for a window.
  const std::int64_t pass = most(memory / 4, kRequestSortBytes);
  return {std::min(pass, most(memory / 4, row_bytes)), pass, ceil_div(part, pass)};
}

RowRequests::RowRequests(const RowMoves& moves, Range rows, int ranks, const Threads& threads) {
  if (rows.count != 0) {
    Partition by_data(sizes_to_read(moves.data_rows, rows.count), nullptr);
    by_data.put(*moves.map, rows, nullptr, threads);
    const std::vector<std::int64_t> firsts = by_data.firsts();
    moves_.resize(to_size(firsts.back()));
    threads.for_each(by_data.sizes().runs(), [&](std::int64_t run, int /*worker*/) {
      Move* const first = moves_.data() + firsts[to_size(run)];
      Move* end = first;
      by_data.visit(run, [&](const Move* some, std::int64_t count) { end = std::copy_n(some, count, end); });
      std::ranges::sort(first, end, {}, &Move::target);
    });
  }
  const std::span<const Move> all = moves_;
  for (int owner = 0; owner <= ranks; ++owner) {
    const auto begin =
        std::ranges::lower_bound(all, part_bound(moves.data_rows, owner, ranks), {}, &Move::target);
    begins_.push_back(static_cast<std::size_t>(begin - all.begin()));
  }
}

std::span<const Move> RowRequests::of(int owner) const {
  const auto at = static_cast<std::size_t>(owner);
  return std::span(moves_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
}

std::int64_t RowRequests::distinct(int owner) const {
  const std::span<const Move> moves = of(owner);
  std::int64_t distinct = moves.empty() ? 0 : 1;
  for (std::size_t i = 1; i < moves.size(); ++i) distinct += moves[i].target != moves[i - 1].target ? 1 : 0;
  return distinct;
}

}  // namespace tensorop
