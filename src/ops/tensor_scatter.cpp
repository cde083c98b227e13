// TensorScatter: consecutive slices written into a cache, from a start for each batch. Source: ONNX
// TensorScatter; docs/ops/scatter.md (TS-1 to TS-3).
#include <algorithm>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"

namespace tensorop {
namespace tensor_scatter_operator {
namespace {

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the cache to start from, rank at least 2"},
    {"indices", "Tind", OperandRole::indices, "IX-3",
     "where the updates of each batch begin along the axis; left out: at 0", false, true},
    {"updates", "T", OperandRole::data, "T-1", "the shape of data, no longer than data along the axis"},
};

enum class Mode : std::uint8_t { linear, circular };
constexpr Choice kModes[] = {{"linear", Mode::linear}, {"circular", Mode::circular}};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "-2",
     "the axis to write along, not the first one; negative counts from the end"},
    {"mode", AttributeKind::choice, "linear",
     "linear, or circular: what would be written beyond the end is written from the beginning", kCallRule,
     kModes},
};
constexpr auto kAxisKey = attribute_key<std::int64_t>(kAttributes, "axis");
constexpr auto kModeKey = attribute_key<Mode>(kAttributes, "mode");
constexpr AttributeRow kAxisAndMode[] = {{"axis"}, {"mode"}};

constexpr IndexRule kRaw = {.negative = Negative::raw};
// The dtypes of opset 24, which include the small dtypes.
constexpr TypeRows kCacheTypes = {{"T", {published::kOnnxAny, published::kSmall}}, {"Tind", DType::int64}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "TensorScatter", kStandardTypes, kAxisAndMode, {.index = kRaw}},
    {Framework::onnx, 24, "TensorScatter", kCacheTypes, kAxisAndMode, {.index = kRaw}},
};

// Checks TS-1 to TS-3 and returns the axis counted from the front.
std::int64_t check_shapes(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  const Shape& updates = call.operands[2].shape();
  if (rank(data) < 2) throw Error(cat("data ", to_string(data), " must have rank 2 or more"), "TS-1");
  const std::int64_t axis = normalize_axis(call.get(kAxisKey), "data", data);
  if (axis == 0) throw Error("axis 0 holds the batches; updates are written along another axis", "TS-1");
  Shape longest = updates;
  if (updates.size() == data.size()) {
    const auto a = static_cast<std::size_t>(axis);
    longest[a] = std::max(updates[a], data[a]);
  }
  if (longest != data) {
    throw Error(cat("updates ", to_string(updates), " must have the shape of data ", to_string(data),
                    ", or less along axis ", axis),
                "TS-2");
  }
  if (!call.left_out && indices != Shape{data[0]}) {
    throw Error(cat("indices ", to_string(indices), " must have shape (", data[0],
                    "): an index for each batch of data"),
                "TS-3");
  }
  return axis;
}

// Writes one slice for each batch, from its index along the axis on. If the slice may wrap, each of its steps
// is an index.
Planned plan(const Call& call) {
  const std::int64_t axis = check_shapes(call);
  const Shape& updates = call.operands[2].shape();
  const bool wraps = call.get(kModeKey) == Mode::circular;
  SliceGeometry slices{{.batching = {0}, .indices_batching = {0}, .vector_dim = 1}, updates, updates};
  for (std::int64_t d = 1; d < rank(updates); ++d) slices.dims.windows.push_back(d);
  if (!call.left_out) slices.dims.index_map = {axis};
  slices.sizes[0] = 1;
  slices.by_element = wraps && call.operands[0].shape()[to_size(axis)] != 0;
  Planned planned =
      plan_scatter(call, std::move(slices), Reduction::none,
                   {.policy = wraps ? IndexPolicy{Negative::refuse, OutOfBounds::wrap}
                                    : IndexPolicy{call.version->rules.index.negative, OutOfBounds::error}});
  planned.slices.reset();  // StableHLO drops what is written beyond the end
  return planned;
}

constexpr OperatorName kNames[] = {{"tensorscatter"}};
constexpr PublishedNames kPublishedNames[] = {
    {Framework::onnx, "past_cache write_indices update", "present_cache"}};

}  // namespace
}  // namespace tensor_scatter_operator

constinit const Operator kTensorScatter = {
    .name = "tensorscatter",
    .summary = "Writes updates into a copy of a cache, from a position on that indices gives for each batch",
    .meaning =
        "The updates of batch n are written into a copy of data from position indices[n] on along axis, as "
        "the "
        "key-value cache of a language model is updated. With --mode circular what would go beyond the end "
        "of "
        "the axis is written from its beginning.",
    .output_shape = "data.shape",
    .example =
        "tensorop tensorscatter --data '[[[0],[0],[0]],[[0],[0],[0]]]' --indices '[0,2]' --updates "
        "'[[[7]],[[8]]]'",
    .family = "scatter",
    .shapes = ShapeKind::tensor_scatter,
    .names = tensor_scatter_operator::kNames,
    .operands = tensor_scatter_operator::kOperands,
    .attributes = tensor_scatter_operator::kAttributes,
    .versions = tensor_scatter_operator::kVersions,
    .published_names = tensor_scatter_operator::kPublishedNames,
    .onnx_order = "data updates indices",
    .rules = "AX-1 IX-2 TS-1 TS-2 TS-3",
    .plan = tensor_scatter_operator::plan,
};

}  // namespace tensorop
