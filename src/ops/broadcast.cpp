// Broadcast and Expand: repeat one tensor to a target shape. Source: docs/ops/broadcast.md.
#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/elements/element_plans.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/call.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {
namespace {

constexpr OperandSpec kOperands[] = {{"data", "T", OperandRole::data, "T-1", "the tensor to repeat"}};

// `target` is the result's shape; `strides` are the strides of data within it.
Planned plan_repeat(const Tensor& data, const Shape& target, const BroadcastStrides& strides) {
  OutputInfo output = checked_output(data.dtype(), target);
  auto repeat = repeat_plan(data, output.shape, strides);
  return {std::move(output), std::move(repeat)};
}

namespace expand {

constexpr AttributeSpec kAttributes[] = {
    {"shape", AttributeKind::integers, "",
     "the shape to broadcast with, in both directions: 2,3,4 or [] or a tensor operand", "BC-T1", Choices(),
     true},
};
constexpr auto kShapeKey = attribute_key<Shape>(kAttributes, "shape");
constexpr AttributeRow kShapeOnly[] = {{"shape"}};
constexpr TypeRows types(DTypeSet data, DTypeSet shape) {
  return {{"T", data}, {"shape", shape}};
}
constexpr Trait kOneWay{"the result has the shape --shape (BC-U1, BC-U2)"};
constexpr auto kVersions = and_mdf(std::to_array<Version>({
    {Framework::standard, 0, "Expand", types(kAllTypes, kIntegerTypes), kShapeOnly},
    {Framework::onnx, 8, "Expand", types(published::kOldOnnxAny, DType::int64), kShapeOnly},
    {Framework::onnx, 13, "Expand", types(published::kOnnxAny, DType::int64), kShapeOnly},
    {Framework::webnn,
     0,
     "expand",
     types(published::kWebnnAny, published::kWebnnIndices),
     kShapeOnly,
     {.traits = kOneWay}},
}));

Planned plan(const Call& call) {
  const Tensor& data = call.operands[0];
  const std::vector<NamedShape> shapes = {{"data", data.shape()},
                                          {"shape", checked_target(call.get(kShapeKey))}};
  if (call.has_trait(kOneWay)) require_unidirectional(shapes[0], shapes[1]);
  const Shape target = merge_shapes(shapes);
  return plan_repeat(data, target, strides_right_aligned(data.shape(), target));
}

constexpr OperatorName kNames[] = {{"expand"}};
constexpr PublishedNames kPublishedNames[] = {{Framework::onnx, "input shape", "output"}};

}  // namespace expand

enum class Mode : std::uint8_t { numpy, bidirectional, pdpd, explicit_axes };

constexpr Choice kModes[] = {{"numpy", Mode::numpy},
                             {"bidirectional", Mode::bidirectional},
                             {"pdpd", Mode::pdpd},
                             {"explicit", Mode::explicit_axes},
                             {"unidirectional", Mode::numpy},
                             {"multidirectional", Mode::bidirectional}};
constexpr AttributeSpec kAttributes[] = {
    {"shape", AttributeKind::integers, "", "the target shape: 2,3,4 or [] or a tensor operand", "BC-T1",
     Choices(), true},
    {"mode", AttributeKind::choice, "numpy",
     "how data is matched with the target: numpy = unidirectional (one-way, unlike in --auto-broadcast: only "
     "data is repeated), bidirectional = multidirectional (two-way), pdpd (from --axis on), explicit (by "
     "--axes-mapping)",
     "BR-1", kModes},
    {"axis", AttributeKind::integer, "-1",
     "mode pdpd: the target dimension of the first dimension of data; -1: aligned on the right"},
    {"axes_mapping", AttributeKind::integers, "",
     "mode explicit: the target dimension of each dimension of data", "BC-E2"},
};
constexpr auto kShapeKey = attribute_key<Shape>(kAttributes, "shape");
constexpr auto kModeKey = attribute_key<Mode>(kAttributes, "mode");
constexpr auto kBroadcastAxisKey = attribute_key<std::int64_t>(kAttributes, "axis");
constexpr auto kAxesMappingKey = attribute_key<Shape>(kAttributes, "axes_mapping");

constexpr AttributeRow kOpenvino1[] = {
    {"shape"}, {"mode", "numpy explicit pdpd"}, {"axis"}, {"axes_mapping"}};
constexpr AttributeRow kOpenvino3[] = {
    {"shape"}, {"mode", "numpy bidirectional pdpd explicit"}, {"axis"}, {"axes_mapping"}};
constexpr AttributeRow kAllAttributes[] = {{"shape"}, {"mode"}, {"axis"}, {"axes_mapping"}};
constexpr Trait kAnyOrder{"axes_mapping may be in any order, and a scalar has none (BC-E2, BC-E4)"};
constexpr Trait kKeepsDims{"-1 in shape keeps the dimension of data (BC-W1)"};
constexpr AttributeRow kInDim[] = {{"shape"}, {"mode", "explicit", "explicit"}, {"axes_mapping"}};
constexpr AttributeRow kTargetOnly[] = {{"shape"}};
constexpr TypeRows types(DTypeSet data, DTypeSet integers) {
  return {{"T", data}, {"shape", integers}, {"axes_mapping", integers}};
}
constexpr Version kVersions[] = {
    {Framework::standard, 0, "Broadcast", types(kAllTypes, kIntegerTypes), kAllAttributes},
    {Framework::openvino, 1, "Broadcast", types(published::kOpenvinoAny, published::kIntegers), kOpenvino1},
    {Framework::openvino, 3, "Broadcast", types(published::kNumbers, published::kIntegers), kOpenvino3},
    {Framework::stablehlo,
     release(0, 9),
     "broadcast_in_dim",
     types(published::kStablehloMoved, published::kIntegers),
     kInDim,
     {.traits = kAnyOrder}},
    {Framework::torch,
     2,
     "expand",
     expand::types(published::kTorchMoved, DType::int64),
     kTargetOnly,
     {.traits = kKeepsDims}},
    {Framework::numpy, 2, "broadcast_to", expand::types(published::kNumpyAny, published::kIntegers),
     kTargetOnly},
    {Framework::jax, 0, "broadcast_to", expand::types(published::kJaxAny, published::kIntegers), kTargetOnly},
    {Framework::tensorflow, 2, "broadcast_to",
     expand::types(published::kTensorflowAny, published::kInt32Or64), kTargetOnly},
};

// BC-W1: replaces each -1 in the target by the dimension of data.
Shape kept_dims(const Shape& data, Shape target) {
  const std::int64_t added = rank(target) - rank(data);
  if (added < 0) require_unidirectional({"data", data}, {"shape", target});
  for (std::int64_t d = 0; d < rank(target); ++d) {
    if (target[to_size(d)] != -1) continue;
    if (d < added) {
      throw Error(cat("shape[", d, "] = -1 keeps no dimension: data ", to_string(data), " has none there"),
                  "BC-W1");
    }
    target[to_size(d)] = data[to_size(d - added)];
  }
  return target;
}

[[noreturn]] void refuse_dimension(const Shape& data, std::int64_t j, const Shape& target, std::int64_t axis,
                                   std::string_view rule, std::string picture) {
  const std::int64_t dim = target[to_size(axis)];
  throw Error(cat("dimension ", j, " of data ", to_string(data), " is ", data[to_size(j)], "; dimension ",
                  axis, " of shape ", to_string(target), " needs ", dim, dim == 1 ? "" : " or 1"),
              rule, "", std::move(picture));
}

// Shows each dimension of data on its own line, above the target dimension that it is mapped to.
std::string mapped_picture(const Shape& data, const Shape& target, const std::vector<std::int64_t>& axes,
                           std::size_t wrong) {
  std::vector<NamedShape> lines;
  for (std::size_t j = 0; j < data.size(); ++j)
    lines.push_back({cat("data dimension ", j), {data[j]}, axes[j]});
  lines.push_back({"shape", target});
  return shape_picture(lines, axes[wrong]);
}

// Returns the target dimension of each dimension of data in mode explicit.
std::vector<std::int64_t> explicit_axes(const Call& call, const Shape& data, const Shape& target) {
  const auto& axes = call.get(kAxesMappingKey);
  // A scalar may have one axis if the target dimension is 1.
  const bool scalar = data.empty() && axes.size() == 1 && !call.has_trait(kAnyOrder);
  if (axes.size() != data.size() && !scalar) {
    throw Error(cat("axes_mapping has ", axes.size(), axes.size() == 1 ? " entry" : " entries", "; data ",
                    to_string(data), " needs ", data.size(), ", one for each of its dimensions"),
                "BC-E2");
  }
  for (std::size_t j = 0; j < axes.size(); ++j) {
    if (axes[j] >= 0 && axes[j] < rank(target)) continue;
    throw Error(cat("axes_mapping[", j, "] = ", axes[j], " is out of range for shape ", to_string(target),
                    target.empty() ? " (it has no dimensions)" : cat(" (allowed 0..", rank(target) - 1, ")")),
                "BC-E3");
  }
  for (std::size_t j = 1; j < axes.size(); ++j) {
    if (call.has_trait(kAnyOrder)) {
      const auto before = std::find(axes.begin(), axes.begin() + to_int64(j), axes[j]) - axes.begin();
      if (before == to_int64(j)) continue;
      throw Error(cat("axes_mapping[", j, "] = ", axes[j], " is also axes_mapping[", before, "]"), "BC-E4");
    }
    if (axes[j] > axes[j - 1]) continue;
    throw Error(cat("axes_mapping[", j, "] = ", axes[j], " must be greater than axes_mapping[", j - 1,
                    "] = ", axes[j - 1]),
                "BC-E4");
  }
  if (scalar) {
    const std::int64_t dim = target[to_size(axes[0])];
    if (dim == 1) return {};
    throw Error(cat("axes_mapping[0] = ", axes[0], " maps scalar data to a dimension of ", dim, " in shape ",
                    to_string(target), "; it must be 1"),
                "BC-E2");
  }
  for (std::size_t j = 0; j < data.size(); ++j) {
    const std::int64_t dim = target[to_size(axes[j])];
    if (data[j] == 1 || data[j] == dim) continue;
    refuse_dimension(data, to_int64(j), target, axes[j], "BC-E5", mapped_picture(data, target, axes, j));
  }
  return axes;
}

// Checks which attributes the mode allows, before any dtype or rank.
void check_attributes(const Call& call) {
  const Mode mode = call.get(kModeKey);
  if (mode != Mode::pdpd && call.is_given(kBroadcastAxisKey))
    throw Error(cat("axis is only allowed with mode pdpd, not with ", call.word(kModeKey)), kCallRule);
  if ((mode == Mode::explicit_axes) == call.is_given(kAxesMappingKey)) return;
  throw Error(mode == Mode::explicit_axes
                  ? std::string("mode explicit needs axes_mapping")
                  : cat("axes_mapping is only allowed with mode explicit, not with ", call.word(kModeKey)),
              "BC-E1");
}

Planned plan(const Call& call) {
  const Tensor& data = call.operands[0];
  const Shape& shape = data.shape();
  const Shape given =
      call.has_trait(kKeepsDims) ? kept_dims(shape, call.get(kShapeKey)) : call.get(kShapeKey);
  const Shape& target = checked_target(given);
  switch (call.get(kModeKey)) {
    case Mode::explicit_axes:
      return plan_repeat(data, target, strides_at(shape, target, explicit_axes(call, shape, target)));
    case Mode::pdpd:
      return plan_repeat(
          data, target,
          strides_at(shape, target,
                     pdpd_axes({"shape", target}, {"data", shape}, call.get(kBroadcastAxisKey), false)));
    case Mode::bidirectional: {
      const Shape merged = merge_shapes({{"data", shape}, {"shape", target}});
      return plan_repeat(data, merged, strides_right_aligned(shape, merged));
    }
    case Mode::numpy:
      require_unidirectional({"data", shape}, {"shape", target});
      return plan_repeat(data, target, strides_right_aligned(shape, target));
  }
  __builtin_unreachable();
}

constexpr OperatorName kNames[] = {
    {"broadcast"},
    {"broadcastindim", Framework::stablehlo, {}, {"mode", "explicit"}},
    {"dynamicbroadcastindim", Framework::stablehlo, {}, {"mode", "explicit"}},
    {"expand", Framework::torch, "expand"},
    {"broadcastto", Framework::torch, "expand"},
    {"broadcastto", Framework::numpy, "broadcast_to"},
    {"broadcastto", Framework::jax, "broadcast_to"},
    {"broadcastto", Framework::tensorflow, "broadcast_to"},
};
constexpr PublishedNames kPublishedNames[] = {{Framework::stablehlo, "operand"}};

}  // namespace

constinit const Operator kBroadcast = {
    .name = "broadcast",
    .summary = "Repeats data to a target shape, in one of four modes",
    .meaning =
        "Repeats data along dimensions that are missing or have size 1, so that it gets the shape --shape. "
        "The mode says which dimension of the target each dimension of data is.",
    .output_shape = "--shape; in mode bidirectional the shape that data.shape and --shape broadcast to",
    .example = "tensorop broadcast --data '[1,2,3]' --shape 2,3",
    .family = "broadcast",
    .shapes = ShapeKind::target,
    .names = kNames,
    .operands = kOperands,
    .attributes = kAttributes,
    .versions = kVersions,
    .published_names = kPublishedNames,
    .rules = "BC-W1 BC-T2 BC-M1 BC-U1 BC-U2 BC-P3 BC-P4 BC-E1 BC-E3 BC-E4 BC-E5",
    .plan = plan,
    .check_attributes = check_attributes,
};

constinit const Operator kExpand = {
    .name = "expand",
    .summary = "Broadcasts data and a shape to a common shape",
    .meaning =
        "Repeats data along dimensions that are missing or have size 1, as --shape asks. Where --shape has "
        "the size 1 or no dimension, the size of data remains.",
    .output_shape = "the shape that data.shape and --shape broadcast to, aligned on the right",
    .example = "tensorop expand --data '[[1],[2],[3]]' --shape 2,1,4",
    .family = "broadcast",
    .shapes = ShapeKind::target,
    .names = expand::kNames,
    .operands = kOperands,
    .attributes = expand::kAttributes,
    .versions = expand::kVersions,
    .published_names = expand::kPublishedNames,
    .rules = "BC-T2 BC-M1 BC-U1 BC-U2",
    .plan = expand::plan,
};

}  // namespace tensorop
