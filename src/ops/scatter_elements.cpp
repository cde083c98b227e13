// ScatterElements, ONNX's older Scatter, and OpenVINO's ScatterElementsUpdate: one update for each element of
// indices. Source: docs/ops/scatter.md.
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/elements/element_plans.hpp"
#include "ops/axes.hpp"
#include "ops/index_policy.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"
#include "ops/scatter.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {
namespace scatter_elements_operator {
namespace {

constexpr Trait kBoundedAxis{"indices are no larger than data along axis too (GE-4)"};
constexpr Trait kEqualOffAxis{"data and indices are equal except along axis (GE-4)"};
constexpr Trait kTorchShapes{
    "what has no dimensions counts as (1), updates may be larger than indices, and without elements of "
    "indices nothing else is checked (PT-1, PT-2)"};
constexpr Trait kBroadcastOffAxis{
    "data and indices are repeated to each other except along axis (GE-4), and updates to both (SE-3)"};
constexpr Trait kTakesValue{"updates without dimensions are a value for all indices"};
constexpr Trait kLikeIndices{"updates are repeated to indices before these are to data (SE-3)"};

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to start from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "IX-3", "positions along the axis, of data's rank"},
    {"updates", "T", OperandRole::data, "T-1", "the values to write, of the shape of indices"},
};

constexpr AttributeSpec kAttributes[] = {
    kScatterAxisSpec, reduction_spec("SE-6"),     kUseInitValSpec, kBroadcastUpdatesSpec,
    kFlatSpec,        at_mode_spec(kUpdateModes),
};

constexpr auto kAxisKey = attribute_key<std::int64_t>(kAttributes, "axis");
constexpr auto kReductionKey = attribute_key<Reduction>(kAttributes, "reduction");
constexpr auto kUseInitValKey = attribute_key<bool>(kAttributes, "use_init_val");
constexpr auto kBroadcastUpdatesKey = attribute_key<bool>(kAttributes, "broadcast_updates");

constexpr AttributeRow kOnnx16[] = {{"axis"}, {"reduction", "none add mul"}};
constexpr AttributeRow kOnnx18[] = {{"axis"}, {"reduction", "none add mul max min"}};
constexpr AttributeRow kOpenvino12[] = {
    {"axis"}, {"reduction", "none sum prod min max mean"}, {"use_init_val"}};
constexpr AttributeRow kTorchScatter[] = {{"axis"}, {"reduction", "none add multiply"}};
constexpr AttributeRow kTorchReduce[] = {
    {"axis"}, {"reduction", "sum prod mean amax amin", "sum"}, {"use_init_val"}};
// Either axis or flat must be given.
constexpr AttributeRow kPutAxis = {.name = "axis", .required = true};
constexpr AttributeRow kNumpyPut[] = {kPutAxis, {"flat"}};
constexpr AttributeRow kJaxPut[] = {kPutAxis, {"flat"}, {kModeName, {}, "drop"}};
constexpr AttributeRow kStandard[] = {
    {"axis"}, {"reduction", kStandardReductions}, {"use_init_val"}, {"broadcast_updates"}};

constexpr auto kVersions = and_mdf(std::to_array<Version>({
    {Framework::standard, 0, "ScatterElements", kStandardTypes, kStandard},
    {Framework::onnx, 9, "Scatter", published::kOldOnnxTypes, kAxisOnly, {.index = kNonNegative}},
    {Framework::onnx, 11, "Scatter", published::kOldOnnxTypes, kAxisOnly, {.deprecated = true}},
    {Framework::onnx, 11, "ScatterElements", published::kOldOnnxTypes, kAxisOnly},
    {Framework::onnx, 13, "ScatterElements", published::kOnnxTypes, kAxisOnly},
    {Framework::onnx, 16, "ScatterElements", published::kOnnxTypes, kOnnx16},
    {Framework::onnx, 18, "ScatterElements", published::kOnnxTypes, kOnnx18},
    {Framework::openvino,
     3,
     "ScatterElementsUpdate",
     published::kOpenvinoNumberTypes,
     kAxisOnly,
     {.index = kNonNegative, .traits = kBoundedAxis}},
    {Framework::openvino, 12, "ScatterElementsUpdate", published::kOpenvinoTypes, kOpenvino12},
    {Framework::webnn,
     0,
     "scatterElements",
     published::kWebnnTypes,
     kNonNegativeAxis,
     {.index = kNearest, .traits = kEqualOffAxis}},
    {Framework::torch,
     2,
     "scatter_add",
     published::kTorchAxisTypes,
     kAxisOnly,
     {.index = kNonNegative, .traits = kTorchShapes}},
    {Framework::torch,
     2,
     "scatter_reduce",
     published::kTorchAxisTypes,
     kTorchReduce,
     {.index = kNonNegative, .traits = kTorchShapes}},
    {Framework::torch,
     2,
     "scatter",
     published::kTorchAxisTypes,
     kTorchScatter,
     {.index = kNonNegative, .traits = kTorchShapes | kTakesValue}},
    {Framework::numpy,
     2,
     "put_along_axis",
     published::kNumpyTypes,
     kNumpyPut,
     {.traits = kBroadcastOffAxis, .converts = true}},
    {Framework::jax,
     0,
     "put_along_axis",
     published::kJaxTypes,
     kJaxPut,
     {.traits = kBroadcastOffAxis | kLikeIndices, .converts = true}},
}));

// Checks PT-1: updates are no smaller than indices.
void require_larger_updates(const Shape& indices, const Shape& updates) {
  if (rank(updates) != rank(indices)) {
    throw Error(cat("updates ", to_string(updates), " must have the rank of indices ", to_string(indices)),
                "PT-2", "", shape_picture({{"updates", updates}, {"indices", indices}}, 0));
  }
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (indices[d] <= updates[d]) continue;
    throw Error(cat("dimension ", d, " of indices ", to_string(indices), " must not exceed dimension ", d,
                    " of updates ", to_string(updates)),
                "PT-1", "",
                shape_picture({{"indices", indices}, {"updates", updates}}, static_cast<std::int64_t>(d)));
  }
}

// Checks GA-1, GE-2, SE-3 and GE-4, in this order.
SliceGeometry checked_slices(const Call& call, bool has_value) {
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
  const bool repeats = call.has_trait(kBroadcastOffAxis);
  if (is_torch && !has_value) {
    require_larger_updates(indices, call.operands[2].shape());
  } else if (!is_torch && !repeats) {
    require_updates_shape(call, indices, call.get(kBroadcastUpdatesKey), "the shape of indices", "SE-3");
  }
  for (std::size_t d = 0; d < data.size(); ++d) {
    const bool free = static_cast<std::int64_t>(d) == axis && !call.has_trait(kBoundedAxis);
    const bool equal = call.has_trait(kEqualOffAxis) && !free;
    const bool fits = repeats ? indices[d] == data[d] || indices[d] == 1 || data[d] == 1
                      : equal ? indices[d] == data[d]
                              : indices[d] <= data[d];
    if (free || fits) continue;
    throw Error(cat("dimension ", d, " of indices ", to_string(indices),
                    repeats || equal ? " must equal" : " must not exceed", " dimension ", d, " of data ",
                    to_string(data), repeats ? ", or one of them be 1" : "",
                    call.has_trait(kBoundedAxis) ? "" : cat(" (only axis ", axis, " is free)")),
                is_torch ? "PT-1" : "GE-4", "",
                shape_picture({{"indices", indices}, {"data", data}}, static_cast<std::int64_t>(d)));
  }
  return element_slices(data, indices, axis, repeats);
}

Planned plan_with(const Call& call, bool has_value) {
  SliceGeometry slices = checked_slices(call, has_value);
  const Shape& indices = call.operands[1].shape();
  ScatterOptions options{.use_init_val = call.get(kUseInitValKey)};
  if (call.has_trait(kTorchShapes)) {
    options.update_strides =
        has_value ? BroadcastStrides(indices.size()) : row_major_strides(call.operands[2].shape());
    options.rounding = Rounding::sum_and_mean;
  }
  if (call.has_trait(kBroadcastOffAxis)) {
    const bool is_like_indices = call.has_trait(kLikeIndices);
    require_updates_shape(
        call, is_like_indices ? indices : slices.shape, true,
        is_like_indices ? "the shape of indices" : "the shape that indices and data broadcast to", "SE-3");
    // In this case NumPy and JAX check no index, nor does JAX if data has no elements.
    if (element_count(slices.shape) == 0 || (is_like_indices && call.operands[0].size() == 0))
      return copy_of(call, std::move(slices));
  }
  return plan_scatter(call, std::move(slices), call.get(kReductionKey), std::move(options));
}

Planned plan_elements(const Call& call) {
  return plan_with(call, false);
}

Planned plan_value(const Call& call) {
  return plan_with(call, true);
}

Planned plan(const Call& call) {
  const bool is_torch = call.has_trait(kTorchShapes);
  if (!is_torch && !is_flat(call)) return plan_elements(call);
  const bool has_value = call.has_trait(kTakesValue) && call.operands[2].rank() == 0;
  Planned planned = !is_torch ? plan_elements(flattened(call, 1))
                    : selects_nothing(call)
                        ? copy_of(call)
                        : plan_without_scalars(call, has_value ? plan_value : plan_elements);
  planned.output.shape = call.operands[0].shape();
  return planned;
}

constexpr OperatorName kNames[] = {
    {"scatterelements", {}, "ScatterElements ScatterElementsUpdate scatterElements scatter put_along_axis"},
    {"scatter", {}, "Scatter"},
    {"scatterelementsupdate", {}, "ScatterElementsUpdate"},
    {"scatter", Framework::torch, "scatter"},
    {"scatteradd", Framework::torch, "scatter_add", {"reduction", "add"}},
    {"scatterreduce", Framework::torch, "scatter_reduce", {"reduction", "sum"}},
    {"putalongaxis", Framework::numpy, "put_along_axis"},
    {"putalongaxis", Framework::jax, "put_along_axis"},
};

}  // namespace
}  // namespace scatter_elements_operator

constinit const Operator kScatterElements = scatter_operator<scatter_elements_operator::kReductionKey>({
    .name = "scatterelements",
    .summary =
        "Writes each element of updates into a copy of data, at the position along an axis that indices "
        "gives",
    .meaning =
        "Each index gives the coordinate along axis at which its update is written into a copy of data: "
        "out[i with i[axis] = indices[i]] = updates[i]. With a reduction the update is combined with the "
        "element.",
    .example =
        "tensorop scatterelements --data '[[1,2,3,4,5]]' --indices '[[1,3]]' --updates '[[11,21]]' --axis 1",
    .shapes = ShapeKind::scatter_elements,
    .names = scatter_elements_operator::kNames,
    .operands = scatter_elements_operator::kOperands,
    .attributes = scatter_elements_operator::kAttributes,
    .versions = scatter_elements_operator::kVersions,
    .rules = "T-3 AX-1 AX-3 GA-1 GE-2 SE-3 GE-4 PT-1 PT-2",
    .plan = scatter_elements_operator::plan,
});

}  // namespace tensorop
