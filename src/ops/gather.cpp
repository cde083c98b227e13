// Gather: slices of data along one axis. Source: docs/ops/gather.md.
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/index_policy.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {
namespace gather_operator {
namespace {

constexpr Trait kVectorIndex{"indices have rank 1, and what has no dimensions counts as (1) (PT-2)"};
constexpr Trait kScalarData{"data without dimensions counts as (1)"};
constexpr Trait kNoEmptyAxis{"an axis without elements has no indices (IX-1), and the result is then data"};
constexpr Trait kChecksAsItTakes{
    "no index of an empty result is checked where a dimension before axis is 0 or mode is clip (IX-1)"};
constexpr Trait kBatchAxis{
    "axis is batch_dims unless it is given; batch_dims is limited by the rank of indices alone (GA-3)"};

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to take slices from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "IX-3", "positions along the axis, any shape"},
};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "0", "the axis to gather along; negative counts from the end"},
    {"batch_dims", AttributeKind::integer, "0",
     "the number of leading dimensions that data and indices share; negative counts from the end of indices"},
    kFlatSpec,
    at_mode_spec(kTakeModes),
    kFillValueSpec,
};

constexpr auto kAxisKey = attribute_key<std::int64_t>(kAttributes, "axis");
constexpr auto kBatchDimsKey = attribute_key<std::int64_t>(kAttributes, "batch_dims");

constexpr AttributeRow kAxisAndBatch[] = {{"axis"}, {"batch_dims"}};
constexpr AttributeRow kStandard[] = {{"axis"}, {"batch_dims"}, {"flat"}, {"fill_value"}};
constexpr AttributeRow kNumpyTake[] = {{"axis"}, {"flat"}, {kModeName, kRaiseWrapClip, "raise"}};
constexpr AttributeRow kJaxTake[] = {
    {"axis"}, {"flat"}, {kModeName, "fill clip wrap", "fill"}, {"fill_value"}};

constexpr IndexRule kZeroFill = {.out_of_bounds = OutOfBounds::zero};

constexpr auto kVersions = and_mdf(std::to_array<Version>({
    {Framework::standard, 0, "Gather", kStandardTypes, kStandard},
    {Framework::onnx, 1, "Gather", published::kOldOnnxTypes, kAxisOnly, {.index = kNonNegative}},
    {Framework::onnx, 11, "Gather", published::kOldOnnxTypes, kAxisOnly},
    {Framework::onnx, 13, "Gather", published::kOnnxTypes, kAxisOnly},
    {Framework::openvino, 1, "Gather", published::kOpenvinoTypes, kAxisOnly, {.index = kNonNegative}},
    {Framework::openvino, 7, "Gather", published::kOpenvinoTypes, kAxisAndBatch, {.index = kNonNegative}},
    {Framework::openvino, 8, "Gather", published::kOpenvinoTypes, kAxisAndBatch, {.index = kZeroFill}},
    {Framework::webnn, 0, "gather", published::kWebnnTypes, kNonNegativeAxis, {.index = kNearest}},
    {Framework::torch,
     2,
     "index_select",
     published::kTorchSelectTypes,
     kAxisOnly,
     {.index = kNonNegative, .traits = kVectorIndex}},
    {Framework::torch, 2, "take", published::kTorchMovedTypes, {}},
    {Framework::numpy,
     2,
     "take",
     published::kNumpyTakeTypes,
     kNumpyTake,
     {.index = kClipsRaw, .traits = kScalarData | kChecksAsItTakes}},
    {Framework::jax,
     0,
     "take",
     published::kJaxMaskTypes,
     kJaxTake,
     {.index = kClipsRaw, .traits = kNoEmptyAxis}},
    {Framework::tensorflow,
     2,
     "gather",
     published::kTensorflowTypes,
     kAxisAndBatch,
     {.index = kNonNegative, .traits = kBatchAxis}},
}));

// Checks GA-1 to GA-5, in this order.
SliceGeometry checked_slices(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  require_rank_1(call, 0, "GA-1");
  const bool is_at_batch = call.has_trait(kBatchAxis) && !call.is_given(kAxisKey);
  std::int64_t axis = is_at_batch ? 0 : normalize_axis(call.get(kAxisKey), "data", data);
  const std::int64_t given = call.get(kBatchDimsKey);
  const std::int64_t most = call.has_trait(kBatchAxis) ? rank(indices) : std::min(rank(data), rank(indices));
  if (given < -most || given > most) {
    throw Error(cat("batch_dims ", given, " is out of range for data ", to_string(data), " and indices ",
                    to_string(indices), " (allowed ", -most, "..", most, ")"),
                "GA-3");
  }
  // TensorFlow's Python code then takes it for an axis of data, its page for a dimension of indices.
  if (is_at_batch && given < 0)
    throw Error(cat("batch_dims ", given, " without axis", kNotHere), kMissingRule);
  if (is_at_batch) axis = normalize_axis(given, "data", data);
  const std::int64_t b = given < 0 ? given + rank(indices) : given;
  if (b > axis || b > most) {
    throw Error(
        cat("batch_dims ", given, given < 0 ? cat(" (that is ", b, ")") : "", " must not exceed axis ", axis),
        "GA-4");
  }
  for (std::int64_t i = 0; i < b; ++i) {
    const auto d = static_cast<std::size_t>(i);
    if (data[d] == indices[d]) continue;
    throw Error(cat("batch dimension ", i, " of data ", to_string(data), " is ", data[d], ", of indices ",
                    to_string(indices), " it is ", indices[d], "; they must be equal"),
                "GA-5", "", shape_picture({{"data", data}, {"indices", indices}}, i));
  }
  return call.form.range ? range_slice(data, axis, *call.form.range) : axis_slices(data, indices, axis, b);
}

Planned plan_slices(const Call& call) {
  SliceGeometry slices = checked_slices(call);
  const std::int64_t axis = slices.dims.index_map[0];
  const Shape& shape = call.operands[0].shape();
  OutputInfo output = checked_output(call.operands[0].dtype(), slices.shape);
  if (call.has_trait(kNoEmptyAxis) && shape[to_size(axis)] == 0) {
    if (call.operands[1].size() != 0) require_no_empty_axis(shape, axis, axis + 1);
    return copy_of(call, std::move(slices));
  }
  const bool is_unchecked =
      element_count(slice(shape, 0, axis)) == 0 ||
      (count(output.shape) == 0 && index_policy(call).out_of_bounds == OutOfBounds::clip);
  if (call.has_trait(kChecksAsItTakes) && is_unchecked)
    return nothing_of(call, std::move(output), std::move(slices));
  return plan_gather(call, std::move(output), std::move(slices));
}

Planned plan(const Call& call) {
  const bool counts_as_one = call.has_trait(kScalarData) && call.operands[0].rank() == 0;
  if (is_flat(call) || counts_as_one) return plan_slices(flattened(call, 1));
  if (!call.has_trait(kVectorIndex)) return plan_slices(call);
  require_vector(call);
  const Tensor& data = call.operands[0];
  if (data.rank() != 0) return plan_without_scalars(call, plan_slices);
  if (call.operands[1].size() != 1)
    throw Error("indices must have one element: data has no dimensions", "PT-2");
  Planned planned = plan_without_scalars(call, plan_slices);
  planned.output.shape = data.shape();
  return planned;
}

void check_attributes(const Call& call) {
  check_flat(call);
  check_fill_value(call);
  if (is_flat(call) && call.is_given(kBatchDimsKey))
    throw Error("batch_dims cannot be combined with flat", kCallRule);
}

constexpr OperatorName::Preset kFlat = {"flat", "true"};
constexpr OperatorName kNames[] = {
    {"gather", {}, "Gather gather"},           {"indexselect", Framework::torch, "index_select"},
    {"take", Framework::torch, "take", kFlat}, {"gather", Framework::numpy, "take"},
    {"take", Framework::numpy, "take", kFlat}, {"gather", Framework::jax, "take"},
    {"take", Framework::jax, "take", kFlat},
};

}  // namespace
}  // namespace gather_operator

constinit const Operator kGather = {
    .name = "gather",
    .summary = "Takes slices of data along an axis, at the positions that indices gives",
    .meaning =
        "Each index selects the slice of data at that position along axis. The slices take the place of the "
        "axis in the output, which has the dtype of data.",
    .output_shape = "data.shape[:axis] + indices.shape[batch_dims:] + data.shape[axis+1:]",
    .example = "tensorop gather --data '[[1,2,3],[4,5,6]]' --indices '[2,0]' --axis 1",
    .family = "gather",
    .shapes = ShapeKind::gather,
    .names = gather_operator::kNames,
    .operands = gather_operator::kOperands,
    .attributes = gather_operator::kAttributes,
    .versions = gather_operator::kVersions,
    .oob = kGatherOob,
    .rules = "AX-1 AX-3 GA-1 GA-3 GA-4 GA-5 PT-2",
    .plan = gather_operator::plan,
    .check_attributes = gather_operator::check_attributes,
    .mask = MaskUse::along_axis,
};

}  // namespace tensorop
