// The updates of a scatter in the order of the rows that they go to, for results that do not fit in the
// cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/checked.hpp"
#include "base/threads.hpp"
#include "kernels/combine.hpp"
#include "kernels/locator.hpp"

namespace tensorop {

// Updates, sorted by bucket of target rows, in row order within each bucket.
class SortedMoves {
 public:
  // Before sort().
  [[nodiscard]] bool empty() const { return buckets_.empty(); }

  // A counting sort, which is stable, on all threads: targets are decoded chunk by chunk and counted by chunk
  // and bucket; then each chunk knows where in each bucket its moves go. Takes 24 bytes for each update.
  // Throws PlanFault for the lowest bad index.
  void sort(const Locator& locator, std::int64_t target_rows, const Threads& threads);

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
