// Maps each index tuple to the row of the indexed tensor, data, that it selects. All operators of the
// gather and scatter families move rows of consecutive elements: one side stores them in the order of the
// index tuples, the other at offsets that indices select. A RowMap computes those offsets from a description
// of the operator; moving and reducing rows (src/kernels/rows) is the same for every operator.
//
// Units: rows, and their offsets from the first row of data. Data has at least one element: the
// strides of an empty tensor have no meaning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/elements/iterator.hpp"
#include "kernels/index/index.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// A dimension of the row order, which is row-major.
struct RowDim {
  std::int64_t size;
  std::int64_t tuple_stride;  // index tuples in one step; 0: all steps use the same tuples
  std::int64_t data_stride;   // rows of data in one step; may be negative
};

// Rows whose offsets have a common base: row i is at base + offsets[i], or is kSkip.
struct LocatedRows {
  const std::int64_t* offsets;
  std::int64_t base;
  std::int64_t count;
};

class RowMap {
 public:
  // A row's offset is the offset of its index tuple plus its steps times the strides of data. Reads no index.
  RowMap(IndexDecoder decoder, const std::vector<RowDim>& dims);

  [[nodiscard]] const IndexDecoder& decoder() const { return decoder_; }
  // Whether offsets may be kSkip.
  [[nodiscard]] bool skips() const { return decoder_.skips(); }

  // The number of rows.
  [[nodiscard]] std::int64_t rows() const { return rows_; }

  // The number of times each index is used; at least 1.
  [[nodiscard]] std::int64_t repeats() const { return repeats_; }
  // Decodes all indices now, on all threads, instead of at each use. Only if repeats() > 1. Throws PlanFault
  // for the lowest bad index.
  void keep_offsets(const Threads& threads);

  // The offsets of rows [first, first + count), count at most kIndexBlock; kSkip if the policy skips the row.
  // Throws PlanFault for the lowest bad index.
  void locate(std::int64_t first, std::int64_t count, std::int64_t* offsets) const;

  // Calls use_block(first, count, offsets) for the rows `rows`, block by block.
  template <class UseBlock>
  void for_each_block(Range rows, const UseBlock& use_block) const {
    std::int64_t offsets[kIndexBlock];
    for (std::int64_t first = rows.first; first < rows.end(); first += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, rows.end() - first);
      locate(first, n, offsets);
      use_block(first, n, static_cast<const std::int64_t*>(offsets));
    }
  }

  // locate() without adding the base to each offset, for the first rows of the range. `scratch` has space for
  // `count` offsets; the result points into `scratch` or into this object, and is valid as long as both.
  [[nodiscard]] LocatedRows locate_segment(std::int64_t first, std::int64_t count,
                                           std::int64_t* scratch) const;

  // The smallest range of index tuples, known without reading indices, that locates the rows `rows`.
  [[nodiscard]] Range tuples_of(Range rows) const;

  // Groups, known without reading indices: rows [g * group_rows(), (g + 1) * group_rows()) have offsets in [g
  // * group_size(), (g + 1) * group_size()). 0 if there are no groups: any row may have any offset.
  [[nodiscard]] std::int64_t group_size() const { return group_size_; }
  [[nodiscard]] std::int64_t group_rows() const { return group_rows_; }
  // The rows of all groups that touch the offsets `offsets`; all rows if there are no groups.
  [[nodiscard]] Range rows_within(Range offsets) const;

  // For rows along an outer axis: the number of columns, each independent of the others; otherwise 0.
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  // Only with columns: elements between steps on that axis in data, at least columns().
  [[nodiscard]] std::int64_t column_stride() const { return decoder_.axes()[0].stride; }
  // Only with columns: the number of steps of the indices on that axis.
  [[nodiscard]] std::int64_t index_steps() const { return rows() / columns(); }
  // Calls use_offsets, in row order, for the rows at the index steps `steps` in the columns `columns`. The
  // offsets are those in a tensor with only the columns `tile`: tile.count elements in each step.
  using UseOffsets = std::function<void(std::int64_t row, std::int64_t count, const std::int64_t* offsets)>;
  void locate_columns(Range steps, Range columns, Range tile, const UseOffsets& use_offsets) const;

 private:
  // The two sides that the row iterator addresses: the index tuples and data.
  enum Side : std::uint8_t { kTuples, kData };

  // Offsets of the tuples along the innermost dimension: in `scratch`, or in kept_.
  const std::int64_t* decode(std::int64_t tuple, std::int64_t count, std::int64_t* scratch) const;
  void find_groups();

  IndexDecoder decoder_;
  BroadcastIterator iterator_;
  std::int64_t rows_ = 1;
  std::int64_t repeats_ = 1;
  bool in_order_ = true;  // row i uses tuple i
  std::int64_t group_size_ = 0;
  std::int64_t group_rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<std::int64_t> kept_;  // the offset of each tuple; empty: decoded at each use
};

}  // namespace tensorop
