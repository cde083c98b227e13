// The slices that a gather takes and a scatter writes: one description for all gathers and scatters, by
// StableHLO's dimension numbers. Source: StableHLO spec, gather and scatter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Positions on an axis: their number, and the distance from one to the next, which is not 0.
struct AxisRange {
  std::int64_t count;
  std::int64_t step;
};

struct SliceDims {
  Shape windows = {};           // the dimensions of the slice in the result, or in updates
  Shape collapsed = {};         // dimensions of data that the slice does not have
  Shape batching = {};          // dimensions of data, paired with indices_batching
  Shape indices_batching = {};  // dimensions of indices
  Shape index_map = {};         // the dimension of data in which each component of an index vector is a start
  std::int64_t vector_dim = 0;  // a dimension of indices; if it is their rank, each element is a vector
};

struct SliceGeometry {
  SliceDims dims;
  Shape sizes;  // of a slice, for each dimension of data: 1 if it is collapsed or batching
  // The shape of a gather's result, or of a scatter's updates. Data or indices of size 1 in a batching
  // dimension are repeated along it.
  Shape shape;
  // The policy for indices out of range applies to each element of a slice, not to its start.
  bool by_element = false;
  // The step in data from one position of a slice to the next, in the dimensions of index_map. Not 0;
  // StableHLO has only 1.
  std::int64_t step = 1;
};

[[nodiscard]] inline bool has_dim(const Shape& list, std::size_t dim) {
  return std::ranges::find(list, to_int64(dim)) != list.end();
}

// The shape of indices without the index vectors.
[[nodiscard]] Shape batch_shape(const SliceDims& dims, const Shape& indices);
// The dimension of data that dimension `d` of batch_shape() is paired with.
[[nodiscard]] std::optional<std::size_t> paired_dim(const SliceDims& dims, std::size_t d);
// The dimensions of data that the slice has.
[[nodiscard]] std::vector<std::size_t> window_dims_of_data(const SliceDims& dims, const Shape& data);
// SliceGeometry::shape for slices of these sizes.
[[nodiscard]] Shape windowed_shape(const SliceDims& dims, const Shape& data, const Shape& indices,
                                   const Shape& sizes);

// Each index selects the slice of data at its position along `axis`, after `batch_dims` batching dimensions.
// Shape: data[:axis] + indices[batch_dims:] + data[axis+1:].
[[nodiscard]] SliceGeometry axis_slices(const Shape& data, const Shape& indices, std::int64_t axis,
                                        std::int64_t batch_dims);
// The only index is the first position of `along`, whose positions are one slice. Shape: data[:axis] +
// [along.count] + data[axis+1:].
[[nodiscard]] SliceGeometry range_slice(const Shape& data, std::int64_t axis, const AxisRange& along);
// Each index tuple, along the last dimension of indices, selects the slice of data at its position in the
// dimensions after `batch_dims` batching dimensions. Shape: indices[:-1] + data[batch_dims+k:].
[[nodiscard]] SliceGeometry tuple_slices(const Shape& data, const Shape& indices, std::int64_t batch_dims);
// Each index replaces the coordinate of its element along `axis`: all other dimensions are batching. The
// shape is the shape of indices; with `repeats`, dimensions of 1 except the axis are repeated to data's.
// Without `repeats`, these dimensions may be smaller than data's, which StableHLO does not allow.
[[nodiscard]] SliceGeometry element_slices(const Shape& data, const Shape& indices, std::int64_t axis,
                                           bool repeats);

}  // namespace tensorop
