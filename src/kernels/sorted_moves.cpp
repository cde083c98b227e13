#include "kernels/sorted_moves.hpp"

#include <utility>

namespace tensorop {
namespace {

// Rows that one thread decodes or sorts at a time. Of more buckets than usual larger chunks are made: each
// chunk counts all buckets.
constexpr std::int64_t kSortChunk = std::int64_t{1} << 16;
constexpr std::int64_t kUsualBuckets = 4096;

}  // namespace

void SortedMoves::sort(const RowMap& map, Range rows, std::int64_t target_rows, std::int64_t most_buckets,
                       const Threads& threads) {
  bucket_rows_ = ceil_div(target_rows, most_buckets);
  const std::int64_t buckets = ceil_div(target_rows, bucket_rows_);
  const std::int64_t chunk_rows = kSortChunk * ceil_div(buckets, kUsualBuckets);
  const std::int64_t chunks = ceil_div(rows.count, chunk_rows);
  std::vector<std::int64_t> targets(to_size(rows.count));
  std::vector<std::int64_t> slots(to_size(chunks * buckets));
  threads.for_each(chunks, [&](std::int64_t chunk, int /*worker*/) {
    std::int64_t* counts = slots.data() + chunk * buckets;
    const std::int64_t end = std::min(rows.count, (chunk + 1) * chunk_rows);
    for (std::int64_t first = chunk * chunk_rows; first < end; first += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, end - first);
      std::int64_t* block = targets.data() + first;
      map.locate(rows.first + first, n, block);
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
    const std::int64_t end = std::min(rows.count, (chunk + 1) * chunk_rows);
    for (std::int64_t row = chunk * chunk_rows; row < end; ++row) {
      const std::int64_t target = targets[to_size(row)];
      if (target != kSkip) moves_[to_size(slot[target / bucket_rows_]++)] = {target, rows.first + row};
    }
  });
}

void SortedMoves::sort_within_buckets(const Threads& threads) {
  threads.for_each(to_int64(buckets_.size()) - 1, [&](std::int64_t bucket, int /*worker*/) {
    std::sort(moves_.begin() + buckets_[to_size(bucket)], moves_.begin() + buckets_[to_size(bucket + 1)],
              [](const Move& a, const Move& b) { return a.target < b.target; });
  });
}

}  // namespace tensorop
