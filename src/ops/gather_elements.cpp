// GatherElements: one element of data for each element of indices. Source: section 3.2 (GE-1 ... GE-5).
#include "base/error.hpp"
#include "base/text.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "ops/common.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace gather_elements_operator {
namespace {

// openvino and webnn: except along the axis the dimensions must be equal (GE-4); in other versions those of
// indices may be smaller.
constexpr unsigned kEqualOffAxis = 1;
constexpr std::string_view kTraits[] = {"data and indices are equal except along axis (GE-4)"};

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to take elements from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "IX-3", "positions along the axis, of data's rank"},
};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "0", "the axis to gather along; negative counts from the end"},
};

constexpr auto kAxisKey = attribute_key<std::int64_t>(kAttributes, "axis");

constexpr TypeRow kOpenvino6Types[] = {{"T", published::kOpenvinoAny}, {"Tind", published::kInt32Or64}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "GatherElements", kStandardTypes, kAxisOnly},
    {Framework::onnx, 11, "GatherElements", published::kOldOnnxTypes, kAxisOnly},
    {Framework::onnx, 13, "GatherElements", published::kOnnxTypes, kAxisOnly},
    {Framework::openvino, 6, "GatherElements", kOpenvino6Types, kAxisOnly, kNonNegative, kEqualOffAxis},
    {Framework::webnn, 0, "gatherElements", published::kWebnnTypes, kNonNegativeAxis, kNearest,
     kEqualOffAxis},
};

// GE-1 ... GE-4: the axis, counted from the front.
std::int64_t check_shapes(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  require_rank_1(call, 0, "GE-1");
  if (rank(indices) != rank(data)) {
    throw Error(cat("indices ", to_string(indices), " must have the rank of data ", to_string(data)), "GE-2",
                "",
                shape_picture({{"indices", indices}, {"data", data}}, std::min(rank(indices), rank(data))));
  }
  const std::int64_t axis = normalize_axis(call.get(kAxisKey), "data", data);
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
                             : cat("smaller dimensions are allowed by ", versions_where(*call.op, smaller)),
        shape_picture({{"indices", indices}, {"data", data}}, static_cast<std::int64_t>(d)));
  }
  return axis;
}

Planned plan(const Call& call) {
  const std::int64_t axis = check_shapes(call);
  const Tensor& data = call.operands[0];
  OutputInfo output = checked_output(data.dtype(), call.operands[1].shape());
  const auto a = static_cast<std::size_t>(axis);
  const IndexAxis along{data.shape()[a], row_major_strides(data.shape())[a], axis};
  auto gather = gather_plan({data, make_decoder(call, {along}),
                             element_dims(output.shape, data.shape(), axis), 1, count(output.shape)});
  return {std::move(output), std::move(gather)};
}

constexpr OperatorName kNames[] = {{"gatherelements"}};
constexpr std::string_view kRules[] = {"AX-1", "AX-3", "GE-1", "GE-2", "GE-4"};

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
    .names = gather_elements_operator::kNames,
    .operands = gather_elements_operator::kOperands,
    .attributes = gather_elements_operator::kAttributes,
    .versions = gather_elements_operator::kVersions,
    .oob = kGatherOob,
    .rules = gather_elements_operator::kRules,
    .plan = gather_elements_operator::plan,
    .traits = gather_elements_operator::kTraits,
};

}  // namespace tensorop
