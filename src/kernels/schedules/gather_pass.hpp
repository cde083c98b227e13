// The rows of a gather that arrive in another order than the order of the result. Rows of a band at the
// beginning of the result go to their places in memory. All other rows are divided by target (partition.hpp)
// and wait in a temporary file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "base/process/threads.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/reduce.hpp"
#include "kernels/rows/row_moves.hpp"
#include "kernels/schedules/bands.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Sizes of the passes over data. A pass makes some rows of the result. Rows of the first band of a
// pass go to their places in memory; all others are divided by band.
struct PassSizes {
  std::int64_t pass_rows;
  std::int64_t band_rows;  // of the first band
  [[nodiscard]] std::int64_t passes(std::int64_t rows) const { return ceil_div(rows, pass_rows); }
  [[nodiscard]] std::int64_t divided_rows(std::int64_t rows) const {
    return rows / pass_rows * (pass_rows - band_rows) +
           std::max<std::int64_t>(0, rows % pass_rows - band_rows);
  }
};

// The facts that the sizes depend on.
struct PassFacts {
  std::int64_t rows = 0;  // rows of the result, at least one
  std::int64_t row_bytes = 0;
  std::int64_t data_bytes = 0;  // bytes of data that are read for them
  std::int64_t sort_bytes = 0;  // bytes for sorting a row of a pass into the order of data
  std::int64_t memory = 0;

  // Bytes of data that a pass over `pass_rows` rows reads: whole pages, and no page twice.
  [[nodiscard]] std::int64_t read_bytes(std::int64_t pass_rows) const;
};

// Returns the sizes for which the fewest bytes are read and written.
[[nodiscard]] PassSizes choose_passes(const PassFacts& facts);

class GatherPass {
 public:
  // Collects the rows `rows` of the result, in `blocks` blocks. Memory holds the first `band_rows` of them,
  // at least one. `gather`, `band_settings` and `threads` outlive this object. Throws Error if there is no
  // space.
  GatherPass(const RowMoves& gather, Range rows, std::int64_t band_rows, std::int64_t blocks,
             const BandSettings& band_settings, const Threads& threads);

  // Adds the rows of a block. visit(add) calls add(row, from_row) for rows of the result, each at from +
  // from_row * row_bytes. add_rows() may call visit several times; each call must do the same. Call
  // add_rows() once for each block, from any worker of the threads; no row of the result may come twice.
  template <class Visit>
  void add_rows(std::int64_t block, const Visit& visit, const std::byte* from, int worker);

  // Writes all rows, after all calls of add_rows(). Rows that did not come become SkippedRows.
  void write();

  // The bands after the first one into which `rows` rows are divided, and the bytes of their file.
  struct Others {
    std::int64_t bands;
    std::int64_t bytes;
  };
  [[nodiscard]] static Others others_of(const RowMoves& gather, std::int64_t rows, std::int64_t memory);
  // Bytes of a row in the file.
  [[nodiscard]] static std::int64_t carried_bytes(const RowMoves& gather);

 private:
  [[nodiscard]] static PartitionSizes divide(const RowMoves& gather, Range rows, std::int64_t blocks,
                                             std::int64_t memory);
  void clear(std::byte* out, std::int64_t rows) const;
  void place(std::byte* out, const std::byte* from, const Move* moves, std::int64_t count) const;
  void write_band() const;

  const RowMoves& gather_;
  const BandSettings& settings_;
  const Threads& threads_;
  Range band_;  // rows of the result
  std::optional<Storage> memory_;
  std::optional<Partition> others_;
  std::vector<Partition::Scratch> scratch_;
  ReduceLoop place_;
};

template <class Visit>
void GatherPass::add_rows(std::int64_t block, const Visit& visit, const std::byte* from, int worker) {
  Move mine[kIndexBlock];
  std::int64_t count = 0;
  visit([&](std::int64_t row, std::int64_t from_row) {
    // Always written, counted if the row belongs here: no branch to mispredict.
    mine[count] = {row - band_.first, from_row};
    count += row < band_.end() ? 1 : 0;
    if (count < kIndexBlock) return;
    place(memory_->data(), from, mine, count);
    count = 0;
  });
  place(memory_->data(), from, mine, count);
  if (others_) others_->put(block, visit, from, scratch_[static_cast<std::size_t>(worker)]);
}

}  // namespace tensorop
