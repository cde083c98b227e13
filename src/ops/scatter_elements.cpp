// ScatterElements, ONNX's older Scatter, and OpenVINO's ScatterElementsUpdate: one update for each element of
// indices. Source: sections 4.1 and 4.2 (SE-1 ... SE-7).
#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/common.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

// openvino-3: no dimension of updates may exceed data's, the axis included (SE-5).
constexpr unsigned kBoundedAxis = 1;

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "the tensor to start from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "positions along the axis, of data's rank"},
    {"updates", "T", OperandRole::data, "the values to put there, of the shape of indices"},
};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "0", "", "", "the axis to scatter along; negative counts from the end"},
    {"reduction", AttributeKind::choice, "none", kReductions, "SE-6",
     "how an update combines with what is there; none replaces it"},
    {"use_init_val", AttributeKind::boolean, "true", "", "",
     "false: a reduction begins with the first update instead of data"},
};

constexpr AttributeRow kOnnx16[] = {{"axis"}, {"reduction", "none|add|mul"}};
constexpr AttributeRow kOnnx18[] = {{"axis"}, {"reduction", "none|add|mul|max|min"}};
constexpr AttributeRow kOpenvino12[] = {
    {"axis"}, {"reduction", "none|sum|prod|min|max|mean"}, {"use_init_val"}};
constexpr AttributeRow kStandard[] = {{"axis"}, {"reduction"}, {"use_init_val"}};

constexpr TypeRow kNumeric[] = {{"T", kNumericTypes}, {"Tind", kIntegerTypes}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "ScatterElements", kStandardTypes, kStandard},
    {Framework::onnx, 9, "Scatter", kOnnxOldTypes, kAxisOnly, {.negative = false}},
    {Framework::onnx, 11, "Scatter", kOnnxOldTypes, kAxisOnly, {}, 0, true},
    {Framework::onnx, 11, "ScatterElements", kOnnxOldTypes, kAxisOnly},
    {Framework::onnx, 13, "ScatterElements", kOnnxTypes, kAxisOnly},
    {Framework::onnx, 16, "ScatterElements", kOnnxTypes, kOnnx16},
    {Framework::onnx, 18, "ScatterElements", kOnnxTypes, kOnnx18},
    {Framework::openvino, 3, "ScatterElementsUpdate", kNumeric, kAxisOnly, {.negative = false}, kBoundedAxis},
    {Framework::openvino, 12, "ScatterElementsUpdate", kOpenvinoTypes, kOpenvino12},
};

OutputInfo infer(const Call& call) {
  (void)checked_reduction(call);  // a dtype rule: before ranks (G-9)
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  const Shape& updates = call.operands[2].shape();
  require_rank_1(call, 0, "SE-1");
  if (rank(indices) != rank(data)) {
    throw Error(cat("indices ", to_string(indices), " must have the rank of data ", to_string(data)), "SE-2");
  }
  const std::int64_t axis = normalize_axis(call.integer("axis"), "data", data);
  if (updates != indices) {
    throw Error(cat("updates ", to_string(updates), " must have the shape of indices ", to_string(indices)),
                "SE-3");
  }
  for (std::size_t d = 0; d < data.size(); ++d) {
    const bool free = static_cast<std::int64_t>(d) == axis && !call.has_trait(kBoundedAxis);
    if (free || indices[d] <= data[d]) continue;
    throw Error(
        cat("dimension ", d, " of indices ", to_string(indices), " must not exceed that of data ",
            to_string(data), call.has_trait(kBoundedAxis) ? "" : cat(" (only axis ", axis, " is free)")),
        "SE-5",
        static_cast<std::int64_t>(d) != axis
            ? ""
            : cat("more along the axis is allowed by ", versions_where(*call.op, [](const Version& version) {
                    return (version.traits & kBoundedAxis) == 0;
                  })));
  }
  return {call.operands[0].dtype(), data};
}

Plan plan(const Call& call, const OutputInfo& output) {
  const std::int64_t axis = normalize_axis(call.integer("axis"), "data", output.shape);
  const auto a = static_cast<std::size_t>(axis);
  return scatter_plan(
      call, make_decoder(call, 1, {{output.shape[a], row_major_strides(output.shape)[a]}}, axis), 1,
      [&](IndexDecoder decoder) {
        return element_locator(std::move(decoder), call.operands[1].shape(), output.shape, axis);
      });
}

constexpr OperatorName kNames[] = {
    {"scatterelements", "ScatterElements|ScatterElementsUpdate"},
    {"scatter", "Scatter"},
    {"scatterelementsupdate", "ScatterElementsUpdate"},
};

}  // namespace

constinit const Operator kScatterElements = {
    .name = "scatterelements",
    .summary =
        "Puts each element of updates into a copy of data, at the position along an axis that indices give",
    .example =
        "tensorop scatterelements --data '[[1,2,3,4,5]]' --indices '[[1,3]]' --updates '[[11,21]]' --axis 1",
    .family = "scatter",
    .names = kNames,
    .operands = kOperands,
    .attributes = kAttributes,
    .versions = kVersions,
    .oob = kScatterOob,
    .infer = infer,
    .plan = plan,
};

}  // namespace tensorop
