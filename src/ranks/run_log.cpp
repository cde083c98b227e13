#include "ranks/run_log.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.hpp"

namespace tensorop {
namespace {

// A block of a run that is written at once: long enough for a disk.
constexpr std::int64_t kMostBlockBytes = 1 << 20;

}  // namespace

std::int64_t RunLog::record_bytes_of(std::int64_t row_bytes) {
  constexpr std::int64_t kAlignment = alignof(Head);
  return to_int64(sizeof(Head)) + ceil_div(row_bytes, kAlignment) * kAlignment;
}

std::int64_t RunLog::block_records_of(std::int64_t row_bytes, std::int64_t runs, std::int64_t memory) {
  return std::max<std::int64_t>(1, std::min(memory / runs, kMostBlockBytes) / record_bytes_of(row_bytes));
}

std::int64_t RunLog::file_bytes(std::int64_t records, std::int64_t row_bytes, std::int64_t runs,
                                std::int64_t memory) {
  // The last block of a run need not be full.
  const std::int64_t block = block_records_of(row_bytes, runs, memory);
  return (records / block + runs) * block * record_bytes_of(row_bytes);
}

RunLog::RunLog(ScratchFile file, std::int64_t row_bytes, std::int64_t runs, std::int64_t memory)
    : file_(std::move(file)),
      row_bytes_(row_bytes),
      block_records_(block_records_of(row_bytes, runs, memory)),
      waiting_(runs * block_records_ * record_bytes(), "rows for later windows of the result"),
      runs_(to_size(runs)) {}

void RunLog::append(std::int64_t run, Head head, const std::byte* row) {
  Run& to = runs_[to_size(run)];
  std::byte* const record = waiting_.data() + (run * block_records_ + to.waiting) * record_bytes();
  std::memcpy(record, &head, sizeof head);
  if (row_bytes_ != 0) std::memcpy(record + sizeof head, row, to_size(row_bytes_));
  ++to.records;
  if (++to.waiting == block_records_) flush(run);
}

void RunLog::flush(std::int64_t run) {
  Run& from = runs_[to_size(run)];
  if (from.waiting == 0) return;
  const std::int64_t block_bytes = block_records_ * record_bytes();
  file_.write_at(blocks_ * block_bytes,
                 {waiting_.data() + run * block_bytes, to_size(from.waiting * record_bytes())});
  from.blocks.push_back({blocks_++, std::exchange(from.waiting, 0)});
}

void RunLog::load(const Block& from, std::byte* out) const {
  file_.read_at(from.number * block_records_ * record_bytes(), {out, to_size(from.records * record_bytes())});
}

}  // namespace tensorop
