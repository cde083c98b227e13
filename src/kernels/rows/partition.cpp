#include "kernels/rows/partition.hpp"

#include <bit>

#include "base/files/advice.hpp"
#include "base/text/error.hpp"

namespace tensorop {
namespace {

// Rows of a block whose numbers are kept in memory, and the largest number of buckets.
constexpr std::int64_t kBlockRows = std::int64_t{1} << 16;
constexpr std::int64_t kMostBuckets = 4096;
// Average number of rows in a bucket of data.
constexpr std::int64_t kBucketRows = 512;

constexpr std::int64_t kMostBucketTargets = std::int64_t{1} << 32;
constexpr std::int64_t kTargetBytes = sizeof(std::uint32_t);
constexpr std::int64_t kCarriedAlignment = 64;

}  // namespace

std::int64_t bucket_targets_of(std::int64_t most) {
  return std::min(kMostBucketTargets, to_int64(std::bit_floor(static_cast<std::uint64_t>(most))));
}

PartitionSizes sizes_in_memory(Range targets, std::int64_t bucket_targets, std::int64_t rows) {
  std::int64_t of_each = bucket_targets_of(bucket_targets);
  while (ceil_div(targets.count, of_each) > kMostBuckets && of_each < kMostBucketTargets) of_each *= 2;
  return {.targets = targets, .bucket_targets = of_each, .rows = rows, .blocks = ceil_div(rows, kBlockRows)};
}

PartitionSizes sizes_to_read(std::int64_t data_rows, std::int64_t rows) {
  const std::int64_t buckets = std::max<std::int64_t>(1, ceil_div(rows, kBucketRows));
  return sizes_in_memory({0, data_rows}, std::max<std::int64_t>(1, data_rows / buckets), rows);
}

PartitionSizes sizes_to_sort(Range targets, std::int64_t row_bytes, std::int64_t rows) {
  return sizes_in_memory(targets, std::max<std::int64_t>(1, kRangeBytes / row_bytes), rows);
}

std::int64_t PartitionSizes::carried_row_bytes() const {
  return kTargetBytes + (row_bytes == 0 ? to_int64(sizeof(std::int64_t)) : row_bytes);
}

std::int64_t PartitionSizes::carried_bytes() const {
  return ceil_div(rows * kTargetBytes, kCarriedAlignment) * kCarriedAlignment +
         rows * (carried_row_bytes() - kTargetBytes);
}

Partition::Partition(const PartitionSizes& sizes,
                     const std::function<ScratchFile(std::int64_t bytes)>& scratch)
    : sizes_(sizes),
      shift_(std::countr_zero(static_cast<std::uint64_t>(sizes.bucket_targets))),
      begins_(to_size(sizes.blocks * (sizes.buckets() + 1))),
      firsts_(to_size(sizes.blocks)),
      rows_at_(sizes.carried_bytes() - sizes.rows * carried_width()) {
  if (scratch) {
    file_.emplace(scratch(sizes.carried_bytes()));
    base_ = file_->map().data();
    // will_visit() reads each segment; what the system would read around it would displace others.
    expect_random(base_, sizes.carried_bytes());
  } else {
    memory_.emplace(sizes.carried_bytes(), "rows divided by where they go");
    base_ = writable_ = memory_->data();
    // All of it is written.
    prefer_large_pages(base_, sizes.carried_bytes());
  }
}

void Partition::put(const RowMap& map, Range all, const std::byte* rows, const Threads& threads) {
  std::vector<Scratch> scratch(to_size(threads.count()));
  const std::int64_t block_rows = sizes_.block_rows();
  const auto rows_of = [&](std::int64_t block) {
    const std::int64_t first = std::min(all.count, block * block_rows);
    return Range{all.first + first, std::min(block_rows, all.count - first)};
  };
  if (rows != nullptr) threads.expect(all.count * sizes_.row_bytes);
  threads.for_each(sizes_.blocks, [&](std::int64_t block, int worker) {
    const Range mine = rows_of(block);
    if (rows != nullptr) {
      const Range later = rows_of(block + threads.count());
      will_need(rows + later.first * sizes_.row_bytes, later.count * sizes_.row_bytes);
    }
    put(
        block,
        [&](const auto& add) {
          map.for_each_block(mine, [&](std::int64_t first, std::int64_t n, const std::int64_t* offsets) {
            for (std::int64_t i = 0; i < n; ++i) add(offsets[i], first + i);
          });
        },
        rows, scratch[static_cast<std::size_t>(worker)]);
    if (rows != nullptr) threads.advance(mine.count * sizes_.row_bytes);
  });
}

std::int64_t Partition::count(std::int64_t bucket) const {
  std::int64_t total = 0;
  for (std::int64_t block = 0; block < sizes_.blocks; ++block) total += segment(block, bucket).count;
  return total;
}

std::vector<std::int64_t> Partition::firsts() const {
  std::vector<std::int64_t> out = {0};
  for (std::int64_t i = 0; i < sizes_.buckets(); ++i) out.push_back(out.back() + count(i));
  return out;
}

void Partition::will_visit(std::int64_t bucket) const {
  if (!file_ || bucket >= sizes_.buckets()) return;
  for (std::int64_t block = 0; block < sizes_.blocks; ++block) {
    const Range rows = segment(block, bucket);
    if (rows.count == 0) continue;
    will_need(base_ + rows.first * kTargetBytes, rows.count * kTargetBytes);
    will_need(base_ + rows_at_ + rows.first * carried_width(), rows.count * carried_width());
  }
}

void Partition::write(std::int64_t first, const Scratch& scratch) const {
  file_->write_at(first * kTargetBytes, std::as_bytes(std::span(scratch.targets_)));
  file_->write_at(rows_at_ + first * carried_width(), scratch.carried_);
}

void Partition::fail_changed() {
  throw Error("indices changed while they were read");
}

}  // namespace tensorop
