// Where and Select: each element from one of two tensors, depending on a condition. Source: docs/ops/where.md
// (WH-1, SL-2, SL-4, SL-5).
#include <utility>

#include "kernels/elements/element_plans.hpp"
#include "ops/elementwise.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace where_operator {
namespace {

constexpr Trait kOneWayCondition{"the condition does not enlarge the result (SL-2)"};
constexpr Trait kScalarCondition{"nothing is repeated but a condition of rank 0 (SL-4, SL-5)"};

constexpr OperandSpec kOperands[] = {
    {"condition", "B", OperandRole::condition, "WH-1", "bool: selects x or y"},
    {"x", "T", OperandRole::data, "T-1", "taken where the condition is true"},
    {"y", "T", OperandRole::data, "T-1", "taken where the condition is false; of x's dtype"},
};

constexpr AttributeSpec kAttributes[] = {
    {"auto_broadcast", AttributeKind::choice, "numpy",
     "broadcasting rule: numpy (two-way, unlike in broadcast --mode), pdpd (y and condition inside x, from "
     "--axis on) or none (equal shapes)",
     "EW-3", kAutoBroadcastChoices},
    {"axis", AttributeKind::integer, "-1",
     "auto_broadcast pdpd: the dimension of x where y and the condition begin; -1: aligned on the right"},
};

static_assert(begins_like_binary(kAttributes));

// `missing`: dtypes of conditions that the publisher allows but tensorop does not read.
constexpr TypeRows types(DTypeSet values, DTypeSet condition = DType::boolean, DTypeSet missing = {}) {
  return {{"B", condition, missing}, {"T", values}};
}
// Any element but zero is true. tensorop reads conditions of one byte.
constexpr DTypeSet kByteConditions = {DType::boolean, DType::uint8, DType::int8};
constexpr DTypeSet kWideConditions = published::kStablehloAny.without(kByteConditions);
constexpr DTypeSet kWideOldConditions = kWideConditions.without(DType::bfloat16);

constexpr auto kVersions = and_mdf(std::to_array<Version>({
    {Framework::standard, 0, "Where", types(kAllTypes), kOpenvinoAttributes},
    {Framework::onnx, 9, "Where", types(published::kOldOnnxAny), {}},
    {Framework::onnx, 16, "Where", types(published::kOnnxAny), {}},
    {Framework::openvino,
     1,
     "Select",
     types(published::kNumbers),
     kOpenvinoAttributes,
     {.traits = kOneWayCondition}},
    {Framework::stablehlo,
     release(0, 9),
     "select",
     types(published::kStablehloMoved),
     {},
     {.traits = kScalarCondition}},
    {Framework::webnn, 0, "where", types(published::kWebnnAny, DType::uint8), {}},
    {Framework::torch,
     2,
     "where",
     types(published::kTorchMoved, {DType::boolean, DType::uint8}),
     {},
     {.converts = true}},
    {Framework::numpy,
     2,
     "where",
     types(published::kOldOnnxAny, kByteConditions, kWideOldConditions),
     {},
     {.converts = true}},
    {Framework::jax,
     0,
     "where",
     types(published::kJaxAny, kByteConditions, {kWideConditions, published::kSmall}),
     {},
     {.converts = true}},
    {Framework::tensorflow, 2, "where", types(published::kTensorflowAny), {}},
}));

BroadcastLayout layout_of(const Call& call) {
  const NamedShape condition = named_shape(call, 0);
  const NamedShape x = named_shape(call, 1);
  const NamedShape y = named_shape(call, 2);
  const BroadcastRule rule = broadcast_rule(call);
  if (call.has_trait(kScalarCondition)) {
    require_identical({x, y}, "SL-4");
    if (!condition.shape.empty()) require_identical({condition, x}, "SL-5");
    return right_aligned(call, x.shape);
  }
  if (rule == BroadcastRule::none) {
    require_identical({condition, x, y});
    return right_aligned(call, x.shape);
  }
  if (rule == BroadcastRule::pdpd) {
    // Both are broadcast to x, each with the default axis for its own rank.
    const std::int64_t axis = call.is_given(kAxisKey) ? call.get(kAxisKey) : -1;
    const auto y_axes = pdpd_axes(x, y, axis);
    const auto condition_axes = pdpd_axes(x, condition, axis);
    return {x.shape,
            {strides_at(condition.shape, x.shape, condition_axes), strides_right_aligned(x.shape, x.shape),
             strides_at(y.shape, x.shape, y_axes)}};
  }
  if (!call.has_trait(kOneWayCondition)) return right_aligned(call, merge_shapes({condition, x, y}));
  Shape shape = merge_shapes({x, y}, "SL-2");
  require_unidirectional(condition, {"the result", shape}, "SL-2");
  return right_aligned(call, std::move(shape));
}

Planned plan(const Call& call) {
  BroadcastLayout layout = layout_of(call);
  OutputInfo output = checked_output(call.operands[1].dtype(), std::move(layout.shape));
  auto select = select_plan(call.operands, output.shape, layout.strides);
  return {std::move(output), std::move(select)};
}

constexpr OperatorName kNames[] = {
    {"where", {}, "Where where"}, {"select", {}, "Select"}, {"select", Framework::stablehlo}};
constexpr PublishedNames kPublishedNames[] = {{Framework::onnx, "condition X Y", "output"},
                                              {Framework::openvino, "cond then else"},
                                              {Framework::stablehlo, "pred on_true on_false"}};

}  // namespace
}  // namespace where_operator

constinit const Operator kWhere = {
    .name = "where",
    .summary = "Takes each element from x or from y, depending on a condition",
    .meaning =
        "Takes each element from x where the condition is true, and from y where it is false. The output has "
        "the dtype of x and y.",
    .output_shape =
        "the shape that condition, x and y broadcast to (openvino-1: x and y); with pdpd and stablehlo the "
        "shape of x",
    .example = "tensorop where '[[true,false],[true,true]]' '[[1,2],[3,4]]' '[9,8]'",
    .family = "where",
    .shapes = ShapeKind::broadcast,
    .names = where_operator::kNames,
    .operands = where_operator::kOperands,
    .attributes = where_operator::kAttributes,
    .versions = where_operator::kVersions,
    .published_names = where_operator::kPublishedNames,
    .rules = "BC-M1 BC-N1 SL-2 SL-4 SL-5 BC-P1 BC-P2 BC-P3 BC-P4",
    .plan = where_operator::plan,
    .check_attributes = check_broadcast_attributes,
};

}  // namespace tensorop
