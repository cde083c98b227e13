// Where a gather takes slices from and a scatter writes them: the one description of every gather and
// scatter, by StableHLO's dimension numbers. Source: StableHLO spec, gather and scatter.
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
  Shape windows = {};           // of the result, or of updates: the dimensions of the slice
  Shape collapsed = {};         // of data: the slice does not have them
  Shape batching = {};          // of data: paired with those of indices
  Shape indices_batching = {};  // of indices
  Shape index_map = {};         // the dimension of data that each component of an index vector is a start on
  std::int64_t vector_dim = 0;  // of indices; its rank: each element is a vector
};

struct SliceGeometry {
  SliceDims dims;
  Shape sizes;  // of a slice: one for each dimension of data, 1 where it is collapsed or batching
  // Of the result of a gather, of the updates of a scatter. Data or indices that have the size 1 in a
  // batching dimension are repeated along it.
  Shape shape;
  // What is out of range is settled for each element of a slice, not for its start.
  bool by_element = false;
  // Of data, from one position of a slice to the next, in the dimensions of index_map. Not 0; StableHLO has
  // only 1.
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
// SliceGeometry::shape of slices of these sizes.
[[nodiscard]] Shape windowed_shape(const SliceDims& dims, const Shape& data, const Shape& indices,
                                   const Shape& sizes);

// Each index selects the slice of data at its position along `axis`, behind `batch_dims` batching dimensions.
// Shape: data[:axis] + indices[batch_dims:] + data[axis+1:].
[[nodiscard]] SliceGeometry axis_slices(const Shape& data, const Shape& indices, std::int64_t axis,
                                        std::int64_t batch_dims);
// The only index is the first of the positions `along` the axis, which are one slice. Shape: data[:axis] +
// [along.count] + data[axis+1:].
[[nodiscard]] SliceGeometry range_slice(const Shape& data, std::int64_t axis, const AxisRange& along);
// Each index tuple, along the last dimension of indices, selects the slice of data at its position in the
// dimensions behind `batch_dims` batching dimensions. Shape: indices[:-1] + data[batch_dims+k:].
[[nodiscard]] SliceGeometry tuple_slices(const Shape& data, const Shape& indices, std::int64_t batch_dims);
// Each index replaces the coordinate of its element along `axis`: all other dimensions are batching. Shape:
// that of indices, or with `repeats` that of data where indices have the size 1 off the axis. Without
// `repeats` indices may be smaller than data off the axis, which StableHLO's batching dimensions may not.
[[nodiscard]] SliceGeometry element_slices(const Shape& data, const Shape& indices, std::int64_t axis,
                                           bool repeats);

}  // namespace tensorop
