// The rows of a gather that come in another order than that of the result, until they can be written: those
// of a window at the beginning go to their places in memory, all others are divided by where they go
// (partition.hpp) and wait in a temporary file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "base/threads.hpp"
#include "kernels/rows/combine.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/row_moves.hpp"
#include "kernels/windows/windows.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Passes over data: each makes some rows of the result. Those of the first window go to their places in
// memory, the others are divided by window.
struct PassSizes {
  std::int64_t pass_rows;
  std::int64_t window_rows;  // of the first window
  [[nodiscard]] std::int64_t passes(std::int64_t rows) const { return ceil_div(rows, pass_rows); }
  [[nodiscard]] std::int64_t divided_rows(std::int64_t rows) const {
    return rows / pass_rows * (pass_rows - window_rows) +
           std::max<std::int64_t>(0, rows % pass_rows - window_rows);
  }
};

// What they depend on.
struct PassFacts {
  std::int64_t rows = 0;  // of the result, at least one
  std::int64_t row_bytes = 0;
  std::int64_t data_bytes = 0;  // that are read for them
  std::int64_t sort_bytes = 0;  // that bringing a row of a pass into the order of data takes
  std::int64_t memory = 0;

  // Bytes of data that a pass over so many rows reads: whole pages, and no page twice.
  [[nodiscard]] std::int64_t read_bytes(std::int64_t pass_rows) const;
};

// The sizes with which the least is read and written.
[[nodiscard]] PassSizes choose_passes(const PassFacts& facts);

class GatherPass {
 public:
  // For the rows `rows` of the result, the first `window_rows` of which, at least one, memory has room for.
  // They come in `chunks`. All but the ranges outlive it. Throws Error where there is no space.
  GatherPass(const RowMoves& gather, Range rows, std::int64_t window_rows, std::int64_t chunks,
             const Windowing& windowing, const Threads& threads);

  // Takes the rows of a chunk: visit(take) calls take(row, from_row) with rows of the result, each of which
  // is at from + from_row * row_bytes. It may be called several times, and must do the same. Each chunk once,
  // from any worker of the threads, as long as no row of the result comes twice.
  template <class Visit>
  void take(std::int64_t chunk, const Visit& visit, const std::byte* from, int worker);

  // After all of take(): writes all rows, those that did not come as zeros.
  void write();

  // The windows besides the first one that so many rows are divided into, and the bytes of their file.
  struct Others {
    std::int64_t windows;
    std::int64_t bytes;
  };
  [[nodiscard]] static Others others_of(const RowMoves& gather, std::int64_t rows, std::int64_t memory);
  // Bytes that a row takes in the file.
  [[nodiscard]] static std::int64_t carried_bytes(const RowMoves& gather);

 private:
  [[nodiscard]] static PartitionSizes divide(const RowMoves& gather, Range rows, std::int64_t chunks,
                                             std::int64_t memory);
  void clear(std::byte* out, std::int64_t rows) const;
  void place(std::byte* out, const std::byte* from, const Move* moves, std::int64_t count) const;
  void write_window() const;

  const RowMoves& gather_;
  const Windowing& windowing_;
  const Threads& threads_;
  Range window_;  // of rows of the result
  std::optional<Storage> memory_;
  std::optional<Partition> others_;
  std::vector<Partition::Room> rooms_;
  Combine place_;
};

template <class Visit>
void GatherPass::take(std::int64_t chunk, const Visit& visit, const std::byte* from, int worker) {
  Move mine[kIndexBlock];
  std::int64_t count = 0;
  visit([&](std::int64_t row, std::int64_t from_row) {
    // Written always, counted when it belongs here: no branch to mispredict.
    mine[count] = {row - window_.first, from_row};
    count += row < window_.end() ? 1 : 0;
    if (count < kIndexBlock) return;
    place(memory_->data(), from, mine, count);
    count = 0;
  });
  place(memory_->data(), from, mine, count);
  if (others_) others_->put(chunk, visit, from, rooms_[static_cast<std::size_t>(worker)]);
}

}  // namespace tensorop
