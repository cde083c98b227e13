// Rows divided by target. The targets of rows - rows of the indexed tensor, or of the result - are divided
// into buckets of equal size. A partition holds the rows of each bucket, in the order in which they came, so
// that a bucket is processed by itself: in cache, by one thread, or as a part of a result that does not fit
// in memory. Each row carries its number or its bytes, in memory or in a temporary file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "base/files/scratch_file.hpp"
#include "base/process/threads.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/reduce.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct PartitionSizes {
  Range targets = {};               // rows with other targets are left out
  std::int64_t bucket_targets = 1;  // targets in each bucket: a power of two, at most 2^32
  std::int64_t rows = 0;            // the largest number of rows
  std::int64_t blocks = 0;          // blocks in which rows come, of less than 2^32 rows each
  std::int64_t row_bytes = 0;       // bytes carried for each row; 0: its number is carried

  [[nodiscard]] std::int64_t buckets() const { return ceil_div(targets.count, bucket_targets); }
  // The rows of a block if all blocks, except for the last one, are equally large.
  [[nodiscard]] std::int64_t block_rows() const { return ceil_div(rows, std::max<std::int64_t>(1, blocks)); }
  // Bytes of a carried row with its target, and of all rows, at most; in memory or in the file.
  [[nodiscard]] std::int64_t carried_row_bytes() const;
  [[nodiscard]] std::int64_t carried_bytes() const;
};

// The largest power of two that is at most `most`, which is at least 1, and at most 2^32.
[[nodiscard]] std::int64_t bucket_targets_of(std::int64_t most);

// Sizes for carrying the numbers of `rows` rows in memory. A bucket has up to `bucket_targets` targets, or
// more if there would be many thousands of buckets. Blocks stay in cache, whatever the number of threads.
[[nodiscard]] PartitionSizes sizes_in_memory(Range targets, std::int64_t bucket_targets, std::int64_t rows);

// Sizes in memory for rows that are read in the order of data, in buckets of some hundred rows on average.
[[nodiscard]] PartitionSizes sizes_to_read(std::int64_t data_rows, std::int64_t rows);

// Sizes in memory for updates sorted by parts of the result that stay in a core's cache.
[[nodiscard]] PartitionSizes sizes_to_sort(Range targets, std::int64_t row_bytes, std::int64_t rows);

class Partition {
 public:
  // `scratch` makes the file for carried rows; null: they are in memory. Throws Error if there is no space.
  Partition(const PartitionSizes& sizes, const std::function<ScratchFile(std::int64_t bytes)>& scratch);

  // A thread's own memory for put(), kept from call to call.
  class Scratch {
    friend class Partition;
    std::vector<std::uint32_t> next_;
    std::vector<std::uint32_t> targets_;
    std::vector<std::byte> carried_;
  };

  // Adds the rows of a block. visit(add) calls add(target, row) for the rows in order; a target outside of
  // sizes.targets, such as kSkip, is ignored. put() calls visit twice, and throws Error if the second call
  // differs. Carried bytes are at rows + row * row_bytes. Call put() once for each block, in any order, on
  // any thread.
  template <class Visit>
  void put(std::int64_t block, const Visit& visit, const std::byte* rows, Scratch& scratch);

  // Adds the rows `all` of a map, on all threads, and reads carried bytes ahead. Throws PlanFault for the
  // lowest bad index.
  void put(const RowMap& map, Range all, const std::byte* rows, const Threads& threads);

  [[nodiscard]] const PartitionSizes& sizes() const { return sizes_; }
  // The targets of a bucket, and the bucket of a target.
  [[nodiscard]] Range targets(std::int64_t bucket) const {
    const std::int64_t first = bucket * sizes_.bucket_targets;
    return {sizes_.targets.first + first, std::min(sizes_.bucket_targets, sizes_.targets.count - first)};
  }
  [[nodiscard]] std::int64_t bucket_of(std::int64_t target) const {
    return (target - sizes_.targets.first) >> shift_;
  }

  // The number of rows in a bucket, after all calls of put().
  [[nodiscard]] std::int64_t count(std::int64_t bucket) const;
  // With the rows of all buckets numbered: the number of each bucket's first row; then the total.
  [[nodiscard]] std::vector<std::int64_t> firsts() const;
  // Calls use_moves(moves, n) for the rows of a bucket in order, at most kIndexBlock at a time. A move has
  // the row's target and its number; if bytes are carried, its index at rows() instead of its number.
  template <class UseMoves>
  void visit(std::int64_t bucket, const UseMoves& use_moves) const {
    visit(bucket, {0, count(bucket)}, use_moves);
  }
  // Calls use_moves() for the rows `which` of the bucket only.
  template <class UseMoves>
  void visit(std::int64_t bucket, Range which, const UseMoves& use_moves) const;
  [[nodiscard]] const std::byte* rows() const { return sizes_.row_bytes == 0 ? nullptr : base_ + rows_at_; }
  // Announces visit() of a bucket: if it is in a file, the system starts to read it. Any number.
  void will_visit(std::int64_t bucket) const;

 private:
  // The index within a block of each bucket's first row; for buckets(), the number of rows in the block.
  [[nodiscard]] std::uint32_t* begins(std::int64_t block) {
    return begins_.data() + block * (sizes_.buckets() + 1);
  }
  // The rows of a bucket in a block, counted from the first row of all blocks.
  [[nodiscard]] Range segment(std::int64_t block, std::int64_t bucket) const {
    const std::uint32_t* const at = begins_.data() + block * (sizes_.buckets() + 1) + bucket;
    return {firsts_[to_size(block)] + at[0], std::int64_t{at[1]} - at[0]};
  }
  [[nodiscard]] std::int64_t carried_width() const {
    return sizes_.carried_row_bytes() - to_int64(sizeof(std::uint32_t));
  }
  void write(std::int64_t first, const Scratch& scratch) const;
  [[noreturn]] static void fail_changed();

  PartitionSizes sizes_;
  int shift_;
  std::vector<std::uint32_t> begins_;
  std::vector<std::int64_t> firsts_;  // the index of each block's first row
  std::atomic<std::int64_t> filled_ = 0;
  std::optional<Storage> memory_;
  std::optional<ScratchFile> file_;
  // Block by block, in the order of arrival: all targets, relative to the first target of their bucket; then,
  // with room for each row, all carried numbers or bytes.
  std::byte* writable_ = nullptr;  // null: in the file
  const std::byte* base_ = nullptr;
  std::int64_t rows_at_;
};

template <class Visit>
void Partition::put(std::int64_t block, const Visit& visit, const std::byte* rows, Scratch& scratch) {
  const std::int64_t first = sizes_.targets.first;
  const auto most = static_cast<std::uint64_t>(sizes_.targets.count);
  const auto in_bucket = static_cast<std::uint64_t>(sizes_.bucket_targets - 1);
  std::uint32_t* const begins = this->begins(block);
  const auto buckets = to_size(sizes_.buckets());
  visit([&](std::int64_t target, std::int64_t /*row*/) {
    const auto place = static_cast<std::uint64_t>(target - first);
    if (place < most) ++begins[(place >> shift_) + 1];
  });
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) begins[bucket + 1] += begins[bucket];
  scratch.next_.assign(begins, begins + buckets);
  const std::int64_t width = carried_width();
  const std::int64_t at = filled_.fetch_add(begins[buckets]);
  if (at + begins[buckets] > sizes_.rows) fail_changed();
  firsts_[to_size(block)] = at;
  if (writable_ == nullptr) {
    scratch.targets_.resize(begins[buckets]);
    scratch.carried_.resize(begins[buckets] * to_size(width));
  }
  std::uint32_t* const targets =
      writable_ == nullptr ? scratch.targets_.data() : reinterpret_cast<std::uint32_t*>(writable_) + at;
  std::byte* const carried =
      writable_ == nullptr ? scratch.carried_.data() : writable_ + rows_at_ + at * width;
  visit([&](std::int64_t target, std::int64_t row) {
    const auto place = static_cast<std::uint64_t>(target - first);
    if (place >= most) return;
    const auto bucket = place >> shift_;
    const std::uint32_t slot = scratch.next_[bucket]++;
    if (slot == begins[bucket + 1]) fail_changed();
    targets[slot] = static_cast<std::uint32_t>(place & in_bucket);
    if (rows == nullptr) {
      std::memcpy(carried + slot * sizeof row, &row, sizeof row);
    } else {
      std::memcpy(carried + slot * to_size(width), rows + row * width, to_size(width));
    }
  });
  if (!std::equal(scratch.next_.begin(), scratch.next_.end(), begins + 1)) fail_changed();
  if (writable_ == nullptr && !scratch.targets_.empty()) write(at, scratch);
}

template <class UseMoves>
void Partition::visit(std::int64_t bucket, Range which, const UseMoves& use_moves) const {
  const auto* const targets = reinterpret_cast<const std::uint32_t*>(base_);
  const std::int64_t first = this->targets(bucket).first;
  Move moves[kIndexBlock];
  std::int64_t count = 0;
  std::int64_t before = 0;  // rows of the bucket in previous blocks
  for (std::int64_t block = 0; block < sizes_.blocks && before < which.end(); ++block) {
    const Range all = segment(block, bucket);
    const Range some = intersection({which.first - before, which.count}, {0, all.count});
    const Range rows = {all.first + some.first, some.count};
    before += all.count;
    for (std::int64_t at = rows.first; at < rows.end();) {
      const std::int64_t n = std::min(rows.end() - at, kIndexBlock - count);
      for (std::int64_t i = 0; i < n; ++i) moves[count + i] = {first + targets[at + i], at + i};
      if (sizes_.row_bytes == 0) {
        const auto* const numbers = reinterpret_cast<const std::int64_t*>(base_ + rows_at_) + at;
        for (std::int64_t i = 0; i < n; ++i) moves[count + i].update = numbers[i];
      }
      at += n;
      count += n;
      if (count == kIndexBlock) {
        use_moves(static_cast<const Move*>(moves), count);
        count = 0;
      }
    }
  }
  if (count != 0) use_moves(static_cast<const Move*>(moves), count);
}

}  // namespace tensorop
