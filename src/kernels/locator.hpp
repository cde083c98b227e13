// Where rows lie. All operators of the gather and scatter families move rows of consecutive elements: one
// side holds them in order, the other at places that indices select. A locator computes those places; moving
// and combining rows (rows.hpp, scatter.hpp) is the same for every operator.
//
// The indexed tensor has elements: the strides of one without say nothing, and nothing is at any place of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/index.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Rows whose places have a base in common: the place of row i is base + places[i], or kSkip as it is.
struct LocatedRows {
  const std::int64_t* places;
  std::int64_t base;
  std::int64_t count;
};

class Locator {
 public:
  Locator() = default;
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;
  virtual ~Locator() = default;

  // How many rows there are, in row-major order of the index tuples.
  [[nodiscard]] virtual std::int64_t rows() const = 0;

  // The places of rows [first, first + count), count at most kIndexBlock, in rows from the front of the
  // indexed tensor; kSkip where the policy says so. Throws Error for the lowest bad index.
  virtual void locate(std::int64_t first, std::int64_t count, std::int64_t* places) const = 0;

  // The same for the front of these rows, without a pass over the places to add the base to each. `room` is
  // for `count` places; whether they are there or elsewhere, they are valid as long as it and the locator.
  [[nodiscard]] virtual LocatedRows locate_run(std::int64_t first, std::int64_t count,
                                               std::int64_t* room) const {
    locate(first, count, room);
    return {room, 0, count};
  }

  // Whether places may be kSkip at all.
  [[nodiscard]] virtual bool skips() const = 0;

  // Checks all indices, those of no consequence too (GA-6, IX).
  virtual void check(const Threads& threads) const = 0;

  using Range = std::function<void(std::int64_t first, std::int64_t count)>;

  // How many consecutive places make a group such that rows of one group are consecutive and groups ascend,
  // all of them within the indexed tensor; 0 where any row may go anywhere.
  [[nodiscard]] virtual std::int64_t group_places() const { return 0; }
  // Where there are groups, how many rows each has: those of group g are [g * group_rows(), (g + 1) *
  // group_rows()).
  [[nodiscard]] virtual std::int64_t group_rows() const { return 0; }
  // Calls range for the rows of all groups that touch the places [begin, end): what updates a part of a
  // tensor is then found without looking at every index. Only where there are groups.
  virtual void rows_within(std::int64_t /*begin*/, std::int64_t /*end*/, const Range& /*range*/) const {}

  // Rows of single elements along an outer axis: into how many lanes they fall, which never meet. 0 where it
  // is not so.
  [[nodiscard]] virtual std::int64_t lanes() const { return 0; }
  // Elements from one step along that axis to the next, in the indexed tensor; at least lanes().
  [[nodiscard]] virtual std::int64_t lane_stride() const { return 0; }
  // Calls take, in row order, for the rows of the lanes [begin, end), with their places in a tensor of which
  // only these lanes are left: end - begin elements a step.
  using Take = std::function<void(std::int64_t row, std::int64_t count, const std::int64_t* places)>;
  virtual void locate_tile(std::int64_t /*begin*/, std::int64_t /*end*/, const Take& /*take*/) const {}
};

// Gather and ScatterUpdate: rows (batch, outer, i) at index[batch, i] along an axis of `axis_size` rows.
struct AxisGeometry {
  std::int64_t batches;    // product of the batch dimensions
  std::int64_t outer;      // product of data's dimensions between batch and axis
  std::int64_t axis_size;  // data.shape[axis]
  std::int64_t indices;    // index elements a batch
};
[[nodiscard]] std::unique_ptr<Locator> axis_locator(IndexDecoder decoder, const AxisGeometry& geometry);

// GatherND and ScatterND: a tuple of indices selects a row within its batch.
struct TupleGeometry {
  Shape batch_shape;                        // of the result
  std::vector<std::int64_t> data_strides;   // of data's batch dimensions, in batches; 0 where broadcast
  std::vector<std::int64_t> index_strides;  // of indices' batch dimensions, in batches; 0 where broadcast
  std::int64_t rows_per_batch;              // of data
  std::int64_t tuples_per_batch;
};
[[nodiscard]] std::unique_ptr<Locator> tuple_locator(IndexDecoder decoder, TupleGeometry geometry);

// GatherElements and ScatterElements: every element of indices has a place of its own; rows are elements. The
// decoder's one axis has the stride of `axis` in the indexed tensor.
[[nodiscard]] std::unique_ptr<Locator> element_locator(IndexDecoder decoder, const Shape& indices_shape,
                                                       const Shape& data_shape, std::int64_t axis);

}  // namespace tensorop
