// Where rows lie. All operators of the gather and scatter families move rows of consecutive elements: one
// side holds them in order, the other at places that indices select. A locator computes those places; moving
// and combining rows (rows.hpp, scatter.hpp) is the same for every operator.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/index.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

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

  // Checks all indices, those of no consequence too (GA-6, IX).
  virtual void check(const Threads& threads) const = 0;

  using Range = std::function<void(std::int64_t first, std::int64_t count)>;
  // Splits the rows into `parts` such that no two parts share a place; calls range for the rows of part
  // `part`, ascending. False, with no call, where the rows cannot be split so.
  virtual bool split(std::int64_t part, std::int64_t parts, const Range& range) const = 0;
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
  std::int64_t tuples;  // that the index tensor holds, all batches
};
[[nodiscard]] std::unique_ptr<Locator> tuple_locator(IndexDecoder decoder, TupleGeometry geometry);

// GatherElements and ScatterElements: every element of indices has a place of its own; rows are elements. The
// decoder's one axis has the stride of `axis` in the indexed tensor.
[[nodiscard]] std::unique_ptr<Locator> element_locator(IndexDecoder decoder, const Shape& indices_shape,
                                                       const Shape& data_shape, std::int64_t axis);

}  // namespace tensorop
