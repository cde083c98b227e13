// Rows that index tuples select, in the order in which they lie in the indexed tensor: the updates of a
// scatter in the order of the rows that they go to, the rows of a gather in the order in which data has them.
// For tensors that do not fit in the cache, or in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "base/threads.hpp"
#include "kernels/combine.hpp"
#include "kernels/row_map.hpp"

namespace tensorop {

// Moves, sorted by bucket of target rows, which are rows of the indexed tensor, in row order within each
// bucket.
class SortedMoves {
 public:
  // Before sort().
  [[nodiscard]] bool empty() const { return buckets_.empty(); }

  // The rows `rows` of a map, in at most `buckets` buckets of the `target_rows` rows of the indexed
  // tensor. A counting sort, which is stable, on all threads: targets are decoded chunk by chunk and counted
  // by chunk and bucket; then each chunk knows where in each bucket its moves go. Takes 24 bytes for each
  // row. Throws PlanFault for the lowest bad index.
  void sort(const RowMap& map, Range rows, std::int64_t target_rows, std::int64_t buckets,
            const Threads& threads);

  // Those that select a row.
  [[nodiscard]] std::int64_t count() const { return to_int64(moves_.size()); }
  // Sorts them by target within each bucket too: no longer in row order.
  void sort_within_buckets(const Threads& threads);
  // All moves, bucket by bucket.
  [[nodiscard]] std::span<const Move> all() const { return moves_; }

  // Calls take(moves, count) for the moves of all buckets that touch the target rows, in blocks.
  template <class Take>
  void visit(Range targets, const Take& take) const {
    std::int64_t at = buckets_[to_size(targets.first / bucket_rows_)];
    const std::int64_t end = buckets_[to_size((targets.end() - 1) / bucket_rows_ + 1)];
    for (; at < end; at += kIndexBlock) take(moves_.data() + at, std::min(kIndexBlock, end - at));
  }

 private:
  std::vector<Move> moves_;
  std::vector<std::int64_t> buckets_;  // where in moves_ each begins; one more than there are
  std::int64_t bucket_rows_ = 1;
};

}  // namespace tensorop
