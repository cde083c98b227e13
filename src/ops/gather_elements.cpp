// GatherElements: one element of data for each element of indices. Source: docs/ops/gather.md.
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/index_policy.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {
namespace gather_elements_operator {
namespace {

constexpr Trait kEqualOffAxis{"data and indices are equal except along axis (GE-4)"};
constexpr Trait kBroadcastOffAxis{"data and indices are repeated to each other except along axis (GE-4)"};
constexpr Trait kTorchShapes{
    "what has no dimensions counts as (1); without elements of indices nothing is checked (PT-1, PT-2)"};
constexpr Trait kZeroOfEmptyAxis{"an axis without elements reads as zeros"};
constexpr Trait kIndexesResult{"indices of an empty result are not checked"};

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to take elements from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "IX-3", "positions along the axis, of data's rank"},
};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "0", "the axis to gather along; negative counts from the end"},
    kFlatSpec,
    at_mode_spec(kAlongAxisModes),
    kFillValueSpec,
};

constexpr auto kAxisKey = attribute_key<std::int64_t>(kAttributes, "axis");

constexpr TypeRows kOpenvino6Types = {{"T", published::kOpenvinoAny}, {"Tind", published::kInt32Or64}};

constexpr AttributeRow kStandard[] = {{"axis"}, {"flat"}, {"fill_value"}};
constexpr AttributeRow kAxisOrFlat[] = {{"axis"}, {"flat"}};
constexpr AttributeRow kNumpy[] = {{"axis", {}, "-1"}, {"flat"}};
constexpr AttributeRow kJax[] = {{"axis", {}, "-1"},
                                 {"flat"},
                                 {kModeName, "fill drop clip", "fill", false, "promise_in_bounds one_hot"},
                                 {"fill_value"}};

constexpr auto kVersions = and_mdf(std::to_array<Version>({
    {Framework::standard, 0, "GatherElements", kStandardTypes, kStandard},
    {Framework::onnx, 11, "GatherElements", published::kOldOnnxTypes, kAxisOnly},
    {Framework::onnx, 13, "GatherElements", published::kOnnxTypes, kAxisOnly},
    {Framework::openvino,
     6,
     "GatherElements",
     kOpenvino6Types,
     kAxisOnly,
     {.index = kNonNegative, .traits = kEqualOffAxis}},
    {Framework::webnn,
     0,
     "gatherElements",
     published::kWebnnTypes,
     kNonNegativeAxis,
     {.index = kNearest, .traits = kEqualOffAxis}},
    {Framework::torch,
     2,
     "take_along_dim",
     published::kTorchMovedTypes,
     kAxisOrFlat,
     {.index = kNonNegative, .traits = kBroadcastOffAxis | kTorchShapes}},
    {Framework::torch,
     2,
     "gather",
     published::kTorchAxisMovedTypes,
     kAxisOnly,
     {.index = kNonNegative, .traits = kTorchShapes}},
    {Framework::numpy,
     2,
     "take_along_axis",
     published::kNumpyTypes,
     kNumpy,
     {.traits = kBroadcastOffAxis | kIndexesResult}},
    {Framework::jax,
     0,
     "take_along_axis",
     published::kJaxTypes,
     kJax,
     {.traits = kBroadcastOffAxis | kZeroOfEmptyAxis}},
}));

// Checks GA-1, GE-2 and GE-4, in this order.
SliceGeometry checked_slices(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  require_rank_1(call, 0, "GA-1");
  const bool is_torch = call.has_trait(kTorchShapes);
  if (rank(indices) != rank(data)) {
    throw Error(cat("indices ", to_string(indices), " must have the rank of data ", to_string(data)),
                is_torch ? "PT-2" : "GE-2", "",
                shape_picture({{"indices", indices}, {"data", data}}, std::min(rank(indices), rank(data))));
  }
  const std::int64_t axis = normalize_axis(call.get(kAxisKey), "data", data);
  const bool equal = call.has_trait(kEqualOffAxis);
  const bool repeats = call.has_trait(kBroadcastOffAxis);
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (static_cast<std::int64_t>(d) == axis) continue;
    const bool is_repeated = repeats && (indices[d] == 1 || data[d] == 1);
    if (is_repeated || (equal || repeats ? indices[d] == data[d] : indices[d] <= data[d])) continue;
    throw Error(
        cat("dimension ", d, " of indices ", to_string(indices),
            equal || repeats ? " must equal" : " must not exceed", " dimension ", d, " of data ",
            to_string(data), repeats ? ", or one of them be 1" : "", " (only axis ", axis, " is free)"),
        is_torch ? "PT-1" : "GE-4", "",
        shape_picture({{"indices", indices}, {"data", data}}, static_cast<std::int64_t>(d)));
  }
  return element_slices(data, indices, axis, repeats);
}

Planned plan_elements(const Call& call) {
  SliceGeometry slices = checked_slices(call);
  const Tensor& data = call.operands[0];
  OutputInfo output = checked_output(data.dtype(), slices.shape);
  if (call.has_trait(kIndexesResult) && count(output.shape) == 0)
    return nothing_of(call, std::move(output), std::move(slices));
  const std::int64_t axis_size = data.shape()[to_size(slices.dims.index_map[0])];
  if (!call.has_trait(kZeroOfEmptyAxis) || axis_size != 0)
    return plan_gather(call, std::move(output), std::move(slices));
  return plan_gather(call, std::move(output), std::move(slices),
                     IndexPolicy{Negative::raw, OutOfBounds::zero});
}

Planned plan(const Call& call) {
  // NumPy and JAX flatten data but not indices.
  const bool both = call.has_trait(kTorchShapes) || !call.strict();
  if (is_flat(call)) return plan_elements(flattened(call, both ? 2 : 1));
  if (!call.has_trait(kTorchShapes)) return plan_elements(call);
  if (!call.has_trait(kBroadcastOffAxis) && selects_nothing(call))
    return nothing_of(call, checked_output(call.operands[0].dtype(), call.operands[1].shape()));
  Planned planned = plan_without_scalars(call, plan_elements);
  const bool is_scalar = call.operands[1].rank() == 0 && planned.output.shape == Shape{1};
  if (is_scalar) planned.output.shape = {};
  return planned;
}

void check_attributes(const Call& call) {
  check_flat(call);
  check_fill_value(call);
}

constexpr OperatorName kNames[] = {
    {"gatherelements", {}, "GatherElements gatherElements gather take_along_axis"},
    {"gather", Framework::torch, "gather"},
    {"takealongdim", Framework::torch, "take_along_dim", {"flat", "true"}},
    {"takealongaxis", Framework::numpy, "take_along_axis"},
    {"takealongaxis", Framework::jax, "take_along_axis"},
};

}  // namespace
}  // namespace gather_elements_operator

constinit const Operator kGatherElements = {
    .name = "gatherelements",
    .summary =
        "Takes one element of data for each element of indices, which gives its position along an axis",
    .meaning =
        "Each index replaces the coordinate along axis: out[i] = data[i with i[axis] = indices[i]]. The "
        "output has the dtype of data.",
    .output_shape = "indices.shape",
    .example = "tensorop gatherelements --data '[[1,2],[3,4]]' --indices '[[0,0],[1,0]]' --axis 1",
    .family = "gather",
    .shapes = ShapeKind::gather_elements,
    .names = gather_elements_operator::kNames,
    .operands = gather_elements_operator::kOperands,
    .attributes = gather_elements_operator::kAttributes,
    .versions = gather_elements_operator::kVersions,
    .oob = kGatherOob,
    .rules = "AX-1 AX-3 GA-1 GE-2 GE-4 PT-1 PT-2",
    .plan = gather_elements_operator::plan,
    .check_attributes = gather_elements_operator::check_attributes,
};

}  // namespace tensorop
