#include "ranks/row_requests.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "kernels/row_map.hpp"

namespace tensorop {
namespace {

// Rows that are sorted as one piece: these stay in cache.
constexpr std::int64_t kBucketRows = 512;
constexpr std::int64_t kMostBuckets = 4096;
// What sorting takes, for each row.
constexpr std::int64_t kRequestSortBytes = 24;

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
    sorted_.sort(*moves.map, rows, moves.data_rows,
                 std::clamp<std::int64_t>(rows.count / kBucketRows, 1, kMostBuckets), threads);
    sorted_.sort_within_buckets(threads);
  }
  const std::span<const Move> all = sorted_.all();
  for (int owner = 0; owner <= ranks; ++owner) {
    const auto begin =
        std::ranges::lower_bound(all, part_bound(moves.data_rows, owner, ranks), {}, &Move::target);
    begins_.push_back(static_cast<std::size_t>(begin - all.begin()));
  }
}

std::span<const Move> RowRequests::of(int owner) const {
  const auto at = static_cast<std::size_t>(owner);
  return sorted_.all().subspan(begins_[at], begins_[at + 1] - begins_[at]);
}

std::int64_t RowRequests::distinct(int owner) const {
  const std::span<const Move> moves = of(owner);
  std::int64_t distinct = moves.empty() ? 0 : 1;
  for (std::size_t i = 1; i < moves.size(); ++i) distinct += moves[i].target != moves[i - 1].target ? 1 : 0;
  return distinct;
}

}  // namespace tensorop
