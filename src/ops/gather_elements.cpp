// GatherElements: one element of data for each element of indices. Source: section 3.2 (GE-1 ... GE-5).
#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/common.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

// openvino: off the axis the dimensions must be equal (GE-4); elsewhere those of indices may be smaller.
constexpr unsigned kEqualOffAxis = 1;

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "the tensor to take elements from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "positions along the axis, of data's rank"},
};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "0", "", "", "the axis to gather along; negative counts from the end"},
};

constexpr TypeRow kOpenvino6Types[] = {{"T", kOpenvinoAny}, {"Tind", kInt32Or64}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "GatherElements", kStandardTypes, kAxisOnly},
    {Framework::onnx, 11, "GatherElements", kOnnxOldTypes, kAxisOnly},
    {Framework::onnx, 13, "GatherElements", kOnnxTypes, kAxisOnly},
    {Framework::openvino,
     6,
     "GatherElements",
     kOpenvino6Types,
     kAxisOnly,
     {.negative = false},
     kEqualOffAxis},
};

OutputInfo infer(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  require_rank_1(call, 0, "GE-1");
  if (rank(indices) != rank(data)) {
    throw Error(cat("indices ", to_string(indices), " must have the rank of data ", to_string(data)), "GE-2");
  }
  const std::int64_t axis = normalize_axis(call.integer("axis"), "data", data);
  const bool equal = call.has_trait(kEqualOffAxis);
  const auto smaller = [](const Version& version) { return (version.traits & kEqualOffAxis) == 0; };
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (static_cast<std::int64_t>(d) == axis) continue;
    if (equal ? indices[d] == data[d] : indices[d] <= data[d]) continue;
    throw Error(
        cat("dimension ", d, " of indices ", to_string(indices), equal ? " must equal" : " must not exceed",
            " that of data ", to_string(data), " (only axis ", axis, " is free)"),
        "GE-4",
        indices[d] > data[d] ? ""
                             : cat("smaller dimensions are allowed by ", versions_where(*call.op, smaller)));
  }
  return {call.operands[0].dtype(), indices};
}

Plan plan(const Call& call, const OutputInfo& output) {
  const Tensor& data = call.operands[0];
  const std::int64_t axis = normalize_axis(call.integer("axis"), "data", data.shape());
  const auto a = static_cast<std::size_t>(axis);
  return gather_plan(call, output,
                     make_decoder(call, 1, {{data.shape()[a], row_major_strides(data.shape())[a]}}, axis), 1,
                     [&](IndexDecoder decoder) {
                       return element_locator(std::move(decoder), output.shape, data.shape(), axis);
                     });
}

constexpr OperatorName kNames[] = {{"gatherelements"}};

}  // namespace

constinit const Operator kGatherElements = {
    .name = "gatherelements",
    .summary =
        "Takes one element of data for each element of indices, which gives its position along an axis",
    .example = "tensorop gatherelements --data '[[1,2],[3,4]]' --indices '[[0,0],[1,0]]' --axis 1",
    .family = "gather",
    .names = kNames,
    .operands = kOperands,
    .attributes = kAttributes,
    .versions = kVersions,
    .oob = kGatherOob,
    .infer = infer,
    .plan = plan,
};

}  // namespace tensorop
