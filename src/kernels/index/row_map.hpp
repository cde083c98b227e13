// Which row of an indexed tensor, the table, each index tuple selects. All operators of the gather and
// scatter families move rows of consecutive elements: one side holds them in the order of the index tuples,
// the other at offsets that indices select. A RowMap computes those offsets; moving and combining rows
// (rows.hpp, combine.hpp) is the same for every operator, and an operator says as data how its rows are
// mapped.
//
// Units: rows and their offsets, from the first row of the table. The table has at least one element: the
// strides of an empty tensor have no meaning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/elements/walk.hpp"
#include "kernels/index/index.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// A dimension of the order of the rows, which is row-major.
struct RowDim {
  std::int64_t size;
  std::int64_t tuple_stride;  // index tuples from one step to the next; 0: the same tuples again
  std::int64_t table_stride;  // rows of the table
};

// Rows whose offsets have a common base: row i is at base + offsets[i], or is kSkip.
struct LocatedRows {
  const std::int64_t* offsets;
  std::int64_t base;
  std::int64_t count;
};

class RowMap {
 public:
  // The offset of a row is that of its index tuple plus its steps times the table strides. Reads no index.
  RowMap(IndexDecoder decoder, const std::vector<RowDim>& dims);

  [[nodiscard]] const IndexDecoder& decoder() const { return decoder_; }
  // Whether offsets may be kSkip at all.
  [[nodiscard]] bool skips() const { return decoder_.skips(); }

  // How many rows there are.
  [[nodiscard]] std::int64_t rows() const { return rows_; }

  // How often each index is used. At least 1.
  [[nodiscard]] std::int64_t repeats() const { return repeats_; }
  // Decodes all indices now, on all threads, instead of each time they are used. Only where repeats() > 1.
  // Throws PlanFault for the lowest bad index.
  void keep_offsets(const Threads& threads);

  // The offsets of rows [first, first + count), count at most kIndexBlock; kSkip where the policy says so.
  // Throws PlanFault for the lowest bad index.
  void locate(std::int64_t first, std::int64_t count, std::int64_t* offsets) const;

  // Calls take(first, count, offsets) for the rows `rows`, a block of them after the other.
  template <class TakeBlock>
  void for_each_block(Range rows, const TakeBlock& take) const {
    std::int64_t offsets[kIndexBlock];
    for (std::int64_t first = rows.first; first < rows.end(); first += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, rows.end() - first);
      locate(first, n, offsets);
      take(first, n, static_cast<const std::int64_t*>(offsets));
    }
  }

  // locate() of the first of these rows, without a pass over the offsets to add the base to each. `room` has
  // space for `count` offsets; the result points there or elsewhere, and is valid as long as both.
  [[nodiscard]] LocatedRows locate_run(std::int64_t first, std::int64_t count, std::int64_t* room) const;

  // The index tuples that rows `rows` are located by: the least range that is known without reading them.
  [[nodiscard]] Range tuples_of(Range rows) const;

  // Groups: where it is known without reading indices that rows [g * group_rows(), (g + 1) * group_rows())
  // have offsets in [g * group_size(), (g + 1) * group_size()). 0 where any row may have any offset.
  [[nodiscard]] std::int64_t group_size() const { return group_size_; }
  [[nodiscard]] std::int64_t group_rows() const { return group_rows_; }
  // The rows of all groups that touch the offsets `offsets`: all rows where there are no groups.
  [[nodiscard]] Range rows_within(Range offsets) const;

  // Rows of single elements along an outer axis: how many columns the rows fall into, which are independent
  // of each other. 0 where it is not so.
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  // Elements from one step along that axis to the next, in the table; at least columns().
  [[nodiscard]] std::int64_t column_stride() const { return columns_ == 0 ? 0 : decoder_.axes()[0].stride; }
  // Steps that the indices have along that axis.
  [[nodiscard]] std::int64_t index_steps() const { return rows() / columns(); }
  // Calls take, in row order, for the rows of the columns `columns` at the index steps `steps`, with their
  // offsets in a tensor of which only the columns `tile` are left: tile.count elements a step.
  using Take = std::function<void(std::int64_t row, std::int64_t count, const std::int64_t* offsets)>;
  void locate_columns(Range steps, Range columns, Range tile, const Take& take) const;

 private:
  // What rows walk: the index tuples and the table.
  enum Walked : std::uint8_t { kTuples, kTable };

  // Offsets of the tuples of rows along the innermost dimension: in `room`, or where they are kept.
  const std::int64_t* decode(std::int64_t tuple, std::int64_t count, std::int64_t* room) const;
  void find_groups();

  IndexDecoder decoder_;
  BroadcastWalk walk_;
  std::int64_t rows_ = 1;
  std::int64_t repeats_ = 1;
  bool in_order_ = true;  // row i has tuple i
  std::int64_t group_size_ = 0;
  std::int64_t group_rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<std::int64_t> kept_;  // the offset of each tuple; empty: they are decoded when they are used
};

}  // namespace tensorop
