#include "ops/row_plans.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/rows/plan.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/index_policy.hpp"

namespace tensorop {
namespace {

// The rows that make up slices, in the order of SliceGeometry::shape.
struct SliceRows {
  std::vector<IndexAxis> axes;
  std::vector<RowDim> dims;
  std::int64_t row_elements = 1;
  std::int64_t component_stride = 1;
};

SliceRows slice_rows(const SliceGeometry& slices, const Shape& data, const Shape& indices) {
  const auto& [dims, sizes, shape, by_element, step] = slices;
  const Shape batch = batch_shape(dims, indices);
  const auto window = window_dims_of_data(dims, data);
  // If there is nothing to move, products of the other sizes may not fit.
  const auto has_zero = [](const Shape& of) { return std::ranges::find(of, 0) != of.end(); };
  const bool is_empty = has_zero(data) || has_zero(shape);
  SliceRows out;

  // A row is contiguous wherever the slice begins: it consists of the innermost dimensions of the slice that
  // contain all of data and are innermost in the result or in updates too.
  std::size_t outer = window.size();
  std::size_t last = shape.size();
  for (std::size_t d = is_empty ? 0 : data.size(); d-- > 0;) {
    if (outer == 0 || window[outer - 1] != d) {
      if (data[d] == 1) continue;
      break;
    }
    const bool is_whole = (!by_element && step == 1) || !has_dim(dims.index_map, d);
    if (sizes[d] != data[d] || !is_whole || to_size(dims.windows[outer - 1]) != last - 1) break;
    out.row_elements *= data[d];
    --outer;
    --last;
  }
  auto data_strides = row_major_strides(data);
  for (std::int64_t& stride : data_strides) stride = std::max<std::int64_t>(1, stride / out.row_elements);

  std::vector<std::int64_t> window_tuples(data.size(), 0);  // tuples from one step of the slice to the next
  std::int64_t tuples = 1;
  for (const std::int64_t dim : dims.index_map) {
    const auto d = to_size(dim);
    const std::int64_t steps = by_element && !is_empty ? sizes[d] : 1;
    // A whole slice must end within the dimension, which limits its start.
    const std::int64_t size = by_element || step < 0 ? data[d] : data[d] - (sizes[d] - 1) * step;
    out.axes.push_back({size, data_strides[d], dim, steps});
  }
  for (std::size_t c = out.axes.size(); c-- > 0;) {
    if (out.axes[c].window > 1) window_tuples[to_size(out.axes[c].axis)] = tuples;
    tuples *= out.axes[c].window;
  }

  const auto batch_tuples = row_major_strides(batch);
  std::size_t next_batch = 0;
  std::size_t next_window = 0;
  for (std::size_t at = 0; at < last; ++at) {
    if (has_dim(dims.windows, at)) {
      const std::size_t d = window[next_window++];
      const std::int64_t own = window_tuples[d];
      const std::int64_t distance = has_dim(dims.index_map, d) ? step * data_strides[d] : data_strides[d];
      out.dims.push_back({shape[at], own, own == 0 ? distance : 0});
      continue;
    }
    const auto pair = paired_dim(dims, next_batch);
    const bool repeats_index = is_empty || batch[next_batch] == 1;
    const bool repeats_data = !pair || data[*pair] == 1;
    out.dims.push_back({shape[at], repeats_index ? 0 : batch_tuples[next_batch] * tuples,
                        repeats_data ? 0 : data_strides[*pair]});
    ++next_batch;
  }
  const bool has_vectors = dims.vector_dim < rank(indices);
  out.component_stride = has_vectors && out.axes.size() > 1
                             ? std::max<std::int64_t>(1, row_major_strides(indices)[to_size(dims.vector_dim)])
                             : 1;
  return out;
}

OpenReason open_reason(const Call& call, Reduction reduction) {
  if (reduction == Reduction::none && call.leaves_open(OpenReason::duplicate_updates))
    return OpenReason::duplicate_updates;
  const bool has_nan = kFloatTypes.contains(call.operands[0].dtype());
  const bool is_extreme = reduction == Reduction::min || reduction == Reduction::max;
  return has_nan && is_extreme && call.leaves_open(OpenReason::nan_in_extreme) ? OpenReason::nan_in_extreme
                                                                               : OpenReason::none;
}

}  // namespace

Planned plan_gather(const Call& call, OutputInfo output, SliceGeometry slices,
                    std::optional<IndexPolicy> policy) {
  const Tensor& data = call.operands[0];
  const Tensor& indices = call.operands[1];
  SliceRows rows = slice_rows(slices, data.shape(), indices.shape());
  const IndexDecoder decoder(indices, std::move(rows.axes), policy.value_or(index_policy(call)),
                             rows.component_stride);
  auto plan =
      gather_plan(data, decoder, rows.dims, rows.row_elements, policy ? std::nullopt : fill_value(call));
  return {std::move(output), std::move(plan), std::move(slices)};
}

Planned plan_scatter(const Call& call, SliceGeometry slices, Reduction reduction, ScatterOptions options) {
  const Tensor& data = call.operands[0];
  const Tensor& indices = call.operands[1];
  OutputInfo output = checked_output(data.dtype(), data.shape());
  SliceRows rows = slice_rows(slices, data.shape(), indices.shape());
  ScatterRowsSpec spec{
      data,
      call.operands[2],
      {indices, std::move(rows.axes), options.policy.value_or(index_policy(call)), rows.component_stride},
      std::move(rows.dims),
      rows.row_elements,
      reduction,
      options.use_init_val,
      call.strict() ? options.rounding : Rounding::once,
      call.duplicates == Duplicates::error,
      open_reason(call, reduction)};
  const Shape& shape = options.updates_shape.empty() ? slices.shape : options.updates_shape;
  const std::int64_t wanted = bounded_count(shape);
  // Index tuples of length 0 take no bytes, and repeated updates few: only this limits the time.
  constexpr std::int64_t kMostForNothing = std::int64_t{1} << 28;
  if (indices.size() == 0 && spec.updates.size() < wanted && wanted > kMostForNothing) {
    throw Error(cat("updates repeated to shape ", to_string(shape),
                    " for index tuples of length 0 are more than 2^28"),
                "G-2");
  }
  if (wanted == 0) {
    spec.updates = Tensor(data.dtype(), shape);
  } else if (spec.updates.size() != wanted) {
    spec.update_strides = options.update_strides.empty() ? strides_right_aligned(spec.updates.shape(), shape)
                                                         : std::move(options.update_strides);
    spec.updates_shape = shape;
  }
  return {std::move(output), scatter_plan(std::move(spec)), std::move(slices)};
}

}  // namespace tensorop
