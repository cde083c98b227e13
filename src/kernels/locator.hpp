// Which row of an indexed tensor each index tuple selects. All operators of the gather and scatter families
// move rows of consecutive elements: one side holds them in the order of the index tuples, the other at
// offsets that indices select. A locator computes those offsets; moving and combining rows (rows.hpp,
// combine.hpp) is the same for every operator.
//
// Units: rows and their offsets, from the first row of the indexed tensor. The indexed tensor has at least
// one element: the strides of an empty tensor have no meaning.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "kernels/index.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Rows whose offsets have a common base: row i is at base + offsets[i], or is kSkip.
struct LocatedRows {
  const std::int64_t* offsets;
  std::int64_t base;
  std::int64_t count;
};

class Locator {
 public:
  explicit Locator(IndexDecoder decoder) : decoder_(std::move(decoder)) {}
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;
  virtual ~Locator() = default;

  [[nodiscard]] const IndexDecoder& decoder() const { return decoder_; }
  // Whether offsets may be kSkip at all.
  [[nodiscard]] bool skips() const { return decoder_.skips(); }

  // How many rows there are, in row-major order of the index tuples.
  [[nodiscard]] virtual std::int64_t rows() const = 0;

  // How often each index is used: by how many outer rows of the indexed tensor. At least 1.
  [[nodiscard]] virtual std::int64_t repeats() const { return 1; }
  // Decodes all indices now, on all threads, instead of each time they are used. Only where repeats() > 1.
  // Throws PlanFault for the lowest bad index.
  virtual void keep_offsets(const Threads& /*threads*/) {}

  // The offsets of rows [first, first + count), count at most kIndexBlock; kSkip where the policy says so.
  // Throws PlanFault for the lowest bad index.
  virtual void locate(std::int64_t first, std::int64_t count, std::int64_t* offsets) const = 0;

  // The same for the first of these rows, without a pass over the offsets to add the base to each. `room` has
  // space for `count` offsets; the result points there or elsewhere, and is valid as long as both.
  [[nodiscard]] virtual LocatedRows locate_run(std::int64_t first, std::int64_t count,
                                               std::int64_t* room) const {
    locate(first, count, room);
    return {room, 0, count};
  }

  // The index tuples that rows `rows` are located by: the least range that is known without reading them.
  [[nodiscard]] virtual Range tuples_of(Range rows) const = 0;

  // Groups: where it is known without reading indices that rows [g * group_rows(), (g + 1) * group_rows())
  // have offsets in [g * group_size(), (g + 1) * group_size()). 0 where any row may have any offset.
  [[nodiscard]] virtual std::int64_t group_size() const { return 0; }
  [[nodiscard]] virtual std::int64_t group_rows() const { return 0; }
  // The rows of all groups that touch the offsets `offsets`: all rows where there are no groups.
  [[nodiscard]] virtual Range rows_within(Range offsets) const;

  // Rows of single elements along an outer axis: how many columns the rows fall into, which are independent
  // of each other. 0 where it is not so.
  [[nodiscard]] virtual std::int64_t columns() const { return 0; }
  // Elements from one step along that axis to the next, in the indexed tensor; at least columns().
  [[nodiscard]] virtual std::int64_t column_stride() const { return 0; }
  // Steps that the indices have along that axis.
  [[nodiscard]] std::int64_t index_steps() const { return rows() / columns(); }
  // Calls take, in row order, for the rows of the columns `columns` at the index steps `steps`, with their
  // offsets in a tensor of which only the columns `tile` are left: tile.count elements a step.
  using Take = std::function<void(std::int64_t row, std::int64_t count, const std::int64_t* offsets)>;
  virtual void locate_columns(Range /*steps*/, Range /*columns*/, Range /*tile*/,
                              const Take& /*take*/) const {}

 protected:
  IndexDecoder decoder_;
};

// Gather and ScatterUpdate: row (batch, outer, i) is at index[batch, i] along an axis of `axis_size` rows.
struct AxisGeometry {
  std::int64_t batches;    // product of the batch dimensions
  std::int64_t outer;      // product of data's dimensions between batch and axis
  std::int64_t axis_size;  // data.shape[axis]
  std::int64_t indices;    // index elements a batch
};

// GatherND and ScatterND: a tuple of indices selects a row within its batch.
struct TupleGeometry {
  Shape batch_shape;                        // of the result
  std::vector<std::int64_t> data_strides;   // of data's batch dimensions, in batches; 0 where broadcast
  std::vector<std::int64_t> index_strides;  // of indices' batch dimensions, in batches; 0 where broadcast
  std::int64_t rows_per_batch;              // of data
  std::int64_t tuples_per_batch;
};

// GatherElements and ScatterElements: each element of indices has an offset of its own; rows are elements.
// The decoder's one axis has the stride of `axis` in the indexed tensor.
struct ElementGeometry {
  Shape indices_shape;
  Shape data_shape;
  std::int64_t axis;
};

using RowGeometry = std::variant<AxisGeometry, TupleGeometry, ElementGeometry>;

// Reads no index.
[[nodiscard]] std::unique_ptr<Locator> make_locator(IndexDecoder decoder, const RowGeometry& geometry);

}  // namespace tensorop
