#include "ops/slice_dims.hpp"

#include <utility>

namespace tensorop {
namespace {

Shape range(std::int64_t first, std::int64_t end) {
  Shape out;
  for (std::int64_t d = first; d < end; ++d) out.push_back(d);
  return out;
}

// Returns slices that contain all of data in their dimensions.
SliceGeometry whole_slices(SliceDims dims, const Shape& data, const Shape& indices) {
  Shape sizes(data.size(), 1);
  for (const std::size_t d : window_dims_of_data(dims, data)) sizes[d] = data[d];
  Shape shape = windowed_shape(dims, data, indices, sizes);
  return {std::move(dims), std::move(sizes), std::move(shape)};
}

}  // namespace

Shape batch_shape(const SliceDims& dims, const Shape& indices) {
  Shape batch = indices;
  if (dims.vector_dim < rank(indices)) batch.erase(batch.begin() + dims.vector_dim);
  return batch;
}

std::optional<std::size_t> paired_dim(const SliceDims& dims, std::size_t d) {
  // Index among all dimensions of indices, including the dimension of the index vectors.
  const std::size_t own = d + (to_int64(d) >= dims.vector_dim ? 1 : 0);
  const auto at = std::ranges::find(dims.indices_batching, to_int64(own)) - dims.indices_batching.begin();
  if (at == std::ssize(dims.batching)) return std::nullopt;
  return to_size(dims.batching[to_size(at)]);
}

std::vector<std::size_t> window_dims_of_data(const SliceDims& dims, const Shape& data) {
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (!has_dim(dims.collapsed, d) && !has_dim(dims.batching, d)) out.push_back(d);
  }
  return out;
}

Shape windowed_shape(const SliceDims& dims, const Shape& data, const Shape& indices, const Shape& sizes) {
  Shape batch = batch_shape(dims, indices);
  for (std::size_t d = 0; d < batch.size(); ++d) {
    const auto pair = paired_dim(dims, d);
    if (pair && batch[d] == 1) batch[d] = data[*pair];
  }
  const auto window = window_dims_of_data(dims, data);
  Shape out;
  auto next_batch = batch.begin();
  auto next_window = window.begin();
  for (std::size_t d = 0; d < batch.size() + window.size(); ++d)
    out.push_back(has_dim(dims.windows, d) ? sizes[*next_window++] : *next_batch++);
  return out;
}

SliceGeometry axis_slices(const Shape& data, const Shape& indices, std::int64_t axis,
                          std::int64_t batch_dims) {
  Shape windows = range(batch_dims, axis);
  const std::int64_t behind = axis + rank(indices) - batch_dims;
  for (const std::int64_t d : range(behind, behind + rank(data) - axis - 1)) windows.push_back(d);
  const Shape batching = range(0, batch_dims);
  return whole_slices({std::move(windows), {axis}, batching, batching, {axis}, rank(indices)}, data, indices);
}

SliceGeometry range_slice(const Shape& data, std::int64_t axis, const AxisRange& along) {
  Shape sizes = data;
  sizes[to_size(axis)] = along.count;
  return {{range(0, rank(data)), {}, {}, {}, {axis}, 0}, sizes, sizes, false, along.step};
}

SliceGeometry tuple_slices(const Shape& data, const Shape& indices, std::int64_t batch_dims) {
  const std::int64_t vector_dim = rank(indices) - 1;
  const Shape selected = range(batch_dims, batch_dims + indices.back());
  const Shape windows = range(vector_dim, vector_dim + rank(data) - batch_dims - indices.back());
  const Shape batching = range(0, batch_dims);
  return whole_slices({windows, selected, batching, batching, selected, vector_dim}, data, indices);
}

SliceGeometry element_slices(const Shape& data, const Shape& indices, std::int64_t axis, bool repeats) {
  Shape others = range(0, rank(data));
  std::erase(others, axis);
  SliceGeometry out = whole_slices({{}, {axis}, others, others, {axis}, rank(data)}, data, indices);
  if (!repeats) out.shape = indices;
  return out;
}

}  // namespace tensorop
