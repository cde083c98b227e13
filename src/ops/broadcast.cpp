// Broadcast and Expand: one tensor repeated to a target shape. Source: sections 5.1, 5.2
// and 2.3, 2.4, 2.6, 2.7.
#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "kernels/repeat_elements.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/common.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

constexpr OperandSpec kOperands[] = {{"data", "T", OperandRole::data, "the tensor to repeat"}};

// BC-T2; that it is a list of integers is settled when the attribute is read (BC-T1).
const Shape& checked_target(const Call& call) {
  const Shape& target = call.integers("shape");
  const auto negative = std::ranges::find_if(target, [](std::int64_t dim) { return dim < 0; });
  if (negative != target.end()) {
    throw Error(cat("shape[", negative - target.begin(), "] = ", *negative,
                    " is negative; every dimension is at least 0"),
                "BC-T2");
  }
  return target;
}

Plan repeat_plan(const Tensor& data, const Shape& output, const BroadcastStrides& strides) {
  const BroadcastWalk walk(output, {strides});
  Plan plan;
  plan.fill = [=](std::int64_t first, std::int64_t count, std::byte* out) {
    repeat_elements(out, data.data(), element_size(data.dtype()), walk, first, count);
  };
  return plan;
}

namespace expand {

constexpr AttributeSpec kAttributes[] = {
    {"shape", AttributeKind::integers, "", "", "BC-T1",
     "the shape to broadcast with, both ways: 2,3,4 or [] or a tensor operand", true},
};
constexpr AttributeRow kShapeOnly[] = {{"shape"}};
constexpr TypeRow kStandard[] = {{"T", kAllTypes}, {"shape", kIntegerTypes}};
constexpr TypeRow kOnnx8[] = {{"T", kAllButBfloat16}, {"shape", DType::int64}};
constexpr TypeRow kOnnx13[] = {{"T", kAllTypes}, {"shape", DType::int64}};
constexpr Version kVersions[] = {
    {Framework::standard, 0, "Expand", kStandard, kShapeOnly},
    {Framework::onnx, 8, "Expand", kOnnx8, kShapeOnly},
    {Framework::onnx, 13, "Expand", kOnnx13, kShapeOnly},
};

OutputInfo infer(const Call& call) {
  const Tensor& data = call.operands[0];
  return {data.dtype(), merge_shapes({{"data", data.shape()}, {"shape", checked_target(call)}}, "BC-B1")};
}

Plan plan(const Call& call, const OutputInfo& output) {
  const Tensor& data = call.operands[0];
  return repeat_plan(data, output.shape, strides_right_aligned(data.shape(), output.shape));
}

constexpr OperatorName kNames[] = {{"expand"}};

}  // namespace expand

constexpr AttributeSpec kAttributes[] = {
    {"shape", AttributeKind::integers, "", "", "BC-T1", "the target shape: 2,3,4 or [] or a tensor operand",
     true},
    {"mode", AttributeKind::choice, "numpy", "numpy|bidirectional|pdpd|explicit", "BR-1",
     "how data's dimensions find theirs in the target"},
    {"axis", AttributeKind::integer, "-1", "", "",
     "mode pdpd: where data's first dimension lies; -1: right-aligned"},
    {"axes_mapping", AttributeKind::integers, "", "", "BC-E2",
     "mode explicit: the target dimension of each of data's"},
};
constexpr AttributeRow kOpenvino1[] = {
    {"shape"}, {"mode", "numpy|explicit|pdpd"}, {"axis"}, {"axes_mapping"}};
constexpr AttributeRow kAllAttributes[] = {{"shape"}, {"mode"}, {"axis"}, {"axes_mapping"}};
constexpr TypeRow kStandard[] = {{"T", kAllTypes}, {"shape", kIntegerTypes}, {"axes_mapping", kIntegerTypes}};
constexpr TypeRow kOpenvino1Types[] = {
    {"T", kOpenvinoAny}, {"shape", kIntegerTypes}, {"axes_mapping", kIntegerTypes}};
constexpr TypeRow kOpenvino3Types[] = {
    {"T", kNumericTypes}, {"shape", kIntegerTypes}, {"axes_mapping", kIntegerTypes}};
constexpr Version kVersions[] = {
    {Framework::standard, 0, "Broadcast", kStandard, kAllAttributes},
    {Framework::openvino, 1, "Broadcast", kOpenvino1Types, kOpenvino1},
    {Framework::openvino, 3, "Broadcast", kOpenvino3Types, kAllAttributes},
};

[[noreturn]] void refuse_dimension(const Shape& data, std::int64_t j, const Shape& target, std::int64_t axis,
                                   std::string_view rule) {
  const std::int64_t dim = target[to_size(axis)];
  throw Error(cat("dimension ", j, " of data ", to_string(data), " is ", data[to_size(j)], "; dimension ",
                  axis, " of shape ", to_string(target), " needs ", dim, dim == 1 ? "" : " or 1"),
              rule);
}

// 2.7: where data's dimensions lie.
std::vector<std::int64_t> explicit_axes(const Call& call, const Shape& data, const Shape& target) {
  const auto& axes = call.integers("axes_mapping");
  // A scalar may come with one axis whose target dimension is 1.
  const bool scalar = data.empty() && axes.size() == 1;
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
    if (axes[j] > axes[j - 1]) continue;
    throw Error(
        cat("axes_mapping[", j, "] = ", axes[j], " must exceed the entry before it, which is ", axes[j - 1]),
        "BC-E4");
  }
  if (scalar) {
    const std::int64_t dim = target[to_size(axes[0])];
    if (dim == 1) return {};
    throw Error(cat("axes_mapping[0] = ", axes[0], " gives scalar data a dimension of ", dim, " in shape ",
                    to_string(target), "; only one of 1 is allowed"),
                "BC-E2");
  }
  for (std::size_t j = 0; j < data.size(); ++j) {
    const std::int64_t dim = target[to_size(axes[j])];
    if (data[j] == 1 || data[j] == dim) continue;
    refuse_dimension(data, to_int64(j), target, axes[j], "BC-E5");
  }
  return axes;
}

// 5.2, mode pdpd: as 2.6 with the target in the place of A, under rules of its own.
std::vector<std::int64_t> pdpd_target_axes(const Call& call, const Shape& data, const Shape& target) {
  const std::int64_t given = call.integer("axis");
  const std::int64_t axis = given == -1 ? rank(target) - rank(data) : given;
  std::vector<std::int64_t> axes;
  std::size_t trimmed = data.size();
  while (trimmed > 0 && data[trimmed - 1] == 1) --trimmed;
  const std::int64_t most = rank(target) - to_int64(trimmed);
  if (axis < 0 || axis > most) {
    throw Error(cat("axis ", given, given == -1 ? " (right-aligned)" : "", " does not put data ",
                    to_string(data), " within shape ", to_string(target),
                    most < 0 ? "; no axis does" : cat(" (allowed 0..", most, ")")),
                "BR-2");
  }
  for (std::size_t j = 0; j < trimmed; ++j) {
    axes.push_back(axis + to_int64(j));
    const std::int64_t dim = target[to_size(axes.back())];
    if (data[j] == 1 || data[j] == dim) continue;
    refuse_dimension(data, to_int64(j), target, axes.back(), "BR-3");
  }
  return axes;
}

// Which attributes the mode takes: before any dtype or rank (G-9).
void check_attributes(const Call& call) {
  const std::string& mode = call.choice("mode");
  if (mode != "pdpd" && call.is_given("axis"))
    throw Error(cat("axis belongs to mode pdpd, not ", mode), "G-8");
  if ((mode == "explicit") == call.is_given("axes_mapping")) return;
  throw Error(mode == "explicit" ? std::string("mode explicit needs axes_mapping")
                                 : cat("axes_mapping belongs to mode explicit, not ", mode),
              "BC-E1");
}

struct Layout {
  Shape shape;
  BroadcastStrides strides;
};

Layout layout(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const std::string& mode = call.choice("mode");
  const Shape& target = checked_target(call);
  if (mode == "explicit") return {target, strides_at(data, target, explicit_axes(call, data, target))};
  if (mode == "pdpd") return {target, strides_at(data, target, pdpd_target_axes(call, data, target))};
  if (mode == "bidirectional") {
    Shape merged = merge_shapes({{"data", data}, {"shape", target}}, "BC-B1");
    return {merged, strides_right_aligned(data, merged)};
  }
  require_unidirectional({"data", data}, {"shape", target});
  return {target, strides_right_aligned(data, target)};
}

OutputInfo infer(const Call& call) {
  return {call.operands[0].dtype(), layout(call).shape};
}

Plan plan(const Call& call, const OutputInfo& output) {
  return repeat_plan(call.operands[0], output.shape, layout(call).strides);
}

constexpr OperatorName kNames[] = {{"broadcast"}};

}  // namespace

constinit const Operator kBroadcast = {
    .name = "broadcast",
    .summary = "Repeats data to a target shape, in one of four modes",
    .example = "tensorop broadcast --data '[1,2,3]' --shape 2,3",
    .family = "broadcast",
    .names = kNames,
    .operands = kOperands,
    .attributes = kAttributes,
    .versions = kVersions,
    .oob = {},
    .infer = infer,
    .plan = plan,
    .check_attributes = check_attributes,
};

constinit const Operator kExpand = {
    .name = "expand",
    .summary = "Repeats data so that it and a shape broadcast together, both ways",
    .example = "tensorop expand --data '[[1],[2],[3]]' --shape 2,1,4",
    .family = "broadcast",
    .names = expand::kNames,
    .operands = kOperands,
    .attributes = expand::kAttributes,
    .versions = expand::kVersions,
    .oob = {},
    .infer = expand::infer,
    .plan = expand::plan,
};

}  // namespace tensorop
