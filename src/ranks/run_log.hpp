// Rows that came too early: kept in a temporary file until the window of the result that they belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/files/scratch_file.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Runs of records of one size, each a head and a row. Runs grow at the same time, and are read one after the
// other, each in the order in which it was written. One thread.
class RunLog {
 public:
  struct Head {
    std::int64_t target;
    std::int64_t update;
  };

  // Bytes of the file for so many records, at most.
  [[nodiscard]] static std::int64_t file_bytes(std::int64_t records, std::int64_t row_bytes,
                                               std::int64_t runs, std::int64_t memory);
  // `file` has file_bytes(). Takes up to `memory` bytes for a block of each run, at least a record each.
  RunLog(ScratchFile file, std::int64_t row_bytes, std::int64_t runs, std::int64_t memory);

  void append(std::int64_t run, Head head, const std::byte* row);
  // Calls take(head, row) for the records of a run. Nothing is appended to it afterwards.
  template <class Take>
  void read(std::int64_t run, const Take& take) {
    flush(run);
    Storage block(block_records_ * record_bytes());
    for (const Block& from : runs_[static_cast<std::size_t>(run)].blocks) {
      load(from, block.data());
      for (std::int64_t i = 0; i < from.records; ++i) {
        const std::byte* const record = block.data() + i * record_bytes();
        take(*reinterpret_cast<const Head*>(record), record + sizeof(Head));
      }
    }
  }
  [[nodiscard]] std::int64_t records(std::int64_t run) const {
    return runs_[static_cast<std::size_t>(run)].records;
  }

 private:
  struct Block {
    std::int64_t number;  // in the file
    std::int64_t records;
  };
  struct Run {
    std::vector<Block> blocks;
    std::int64_t records = 0;
    std::int64_t waiting = 0;  // of them, in memory
  };

  // Heads are aligned.
  [[nodiscard]] static std::int64_t record_bytes_of(std::int64_t row_bytes);
  [[nodiscard]] static std::int64_t block_records_of(std::int64_t row_bytes, std::int64_t runs,
                                                     std::int64_t memory);
  [[nodiscard]] std::int64_t record_bytes() const { return record_bytes_of(row_bytes_); }
  void flush(std::int64_t run);
  void load(const Block& from, std::byte* out) const;

  ScratchFile file_;
  std::int64_t row_bytes_;
  std::int64_t block_records_;
  Storage waiting_;  // a block of each run
  std::vector<Run> runs_;
  std::int64_t blocks_ = 0;  // in the file
};

}  // namespace tensorop
