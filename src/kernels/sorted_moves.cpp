#include "kernels/sorted_moves.hpp"

#include <utility>

namespace tensorop {
namespace {

// Sorted updates are split by their target row into at most this many buckets.
constexpr std::int64_t kBuckets = 4096;
// Updates that one thread decodes or sorts at a time.
constexpr std::int64_t kSortChunk = std::int64_t{1} << 16;

}  // namespace

void SortedMoves::sort(const Locator& locator, std::int64_t target_rows, const Threads& threads) {
  const std::int64_t rows = locator.rows();
  bucket_rows_ = ceil_div(target_rows, kBuckets);
  const std::int64_t buckets = ceil_div(target_rows, bucket_rows_);
  const std::int64_t chunks = ceil_div(rows, kSortChunk);
  std::vector<std::int64_t> targets(to_size(rows));
  std::vector<std::int64_t> slots(to_size(chunks * buckets));
  threads.for_each(chunks, [&](std::int64_t chunk, int /*worker*/) {
    std::int64_t* counts = slots.data() + chunk * buckets;
    const std::int64_t end = std::min(rows, (chunk + 1) * kSortChunk);
    for (std::int64_t first = chunk * kSortChunk; first < end; first += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, end - first);
      std::int64_t* block = targets.data() + first;
      locator.locate(first, n, block);
      for (std::int64_t i = 0; i < n; ++i) {
        if (block[i] != kSkip) ++counts[block[i] / bucket_rows_];
      }
    }
  });
  buckets_.assign(to_size(buckets + 1), 0);
  std::int64_t next = 0;
  for (std::int64_t bucket = 0; bucket < buckets; ++bucket) {
    buckets_[to_size(bucket)] = next;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      next += std::exchange(slots[to_size(chunk * buckets + bucket)], next);
    }
  }
  buckets_.back() = next;
  moves_.resize(to_size(next));
  threads.for_each(chunks, [&](std::int64_t chunk, int /*worker*/) {
    std::int64_t* slot = slots.data() + chunk * buckets;
    const std::int64_t end = std::min(rows, (chunk + 1) * kSortChunk);
    for (std::int64_t row = chunk * kSortChunk; row < end; ++row) {
      const std::int64_t target = targets[to_size(row)];
      if (target != kSkip) moves_[to_size(slot[target / bucket_rows_]++)] = {target, row};
    }
  });
}

}  // namespace tensorop
