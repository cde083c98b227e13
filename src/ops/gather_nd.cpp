// GatherND: slices of data that tuples of indices select. Source: docs/ops/gather.md.
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/index_policy.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {
namespace gather_nd_operator {
namespace {

constexpr Trait kBroadcastBatch{"batch dimensions may also be 1 on one side (GN-3)"};
constexpr Trait kEmptyTuples{"index tuples may have no elements (GN-4)"};
constexpr Trait kNegativeBatch{"batch_dims may be negative (GN-2)"};
constexpr Traits kStandardTraits = kBroadcastBatch | kEmptyTuples | kNegativeBatch;
constexpr Traits kOpenvinoTraits = kBroadcastBatch | kEmptyTuples;
constexpr Trait kFusedBatch{"several batch dimensions become one in the result"};
constexpr Trait kNoEmptyAxis{
    "an axis without elements has no indices, unless the result has no elements (IX-1)"};
constexpr Trait kNoEmptyData{"data without elements has no index tuples, not even empty ones (IX-1)"};
constexpr Trait kSevenDims{"batch_dims and the length of the index tuples are 7 together, or less (GN-4)"};

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to take slices from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "IX-3",
     "index tuples along the last dimension, rank at least 1; at_get takes an operand for each index array"},
};

constexpr AttributeSpec kAttributes[] = {
    {"batch_dims", AttributeKind::integer, "0",
     "the number of leading dimensions that data and indices share"},
    at_mode_spec(kGetModes),
    kFillValueSpec,
    bad_indices_spec(kGatherBadIndices),
};

constexpr auto kBatchDimsKey = attribute_key<std::int64_t>(kAttributes, "batch_dims");

constexpr AttributeRow kBatchDimsOnly[] = {{"batch_dims"}};
constexpr AttributeRow kStandard[] = {{"batch_dims"}, {"fill_value"}};
constexpr AttributeRow kJaxGet[] = {{kModeName, {}, "clip"}, {"fill_value"}};
constexpr AttributeRow kTensorflow[] = {{"batch_dims"}, kBadIndicesRow};

constexpr TypeRows kMdfTypes = {{"T", published::kOnnxAny}, {"Tind", published::kInt32Or64}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "GatherND", kStandardTypes, kStandard, {.traits = kStandardTraits}},
    {Framework::onnx, 11, "GatherND", published::kOldOnnxNdTypes, {}},
    {Framework::onnx, 12, "GatherND", published::kOldOnnxNdTypes, kBatchDimsOnly},
    {Framework::onnx, 13, "GatherND", published::kOnnxNdTypes, kBatchDimsOnly},
    {Framework::openvino,
     5,
     "GatherND",
     published::kOpenvinoTypes,
     kBatchDimsOnly,
     {.index = kNonNegative, .traits = kOpenvinoTraits | kFusedBatch}},
    {Framework::openvino,
     8,
     "GatherND",
     published::kOpenvinoTypes,
     kBatchDimsOnly,
     {.traits = kOpenvinoTraits}},
    {Framework::mdf, 0, "gathernd", kMdfTypes, kBatchDimsOnly},
    {Framework::webnn, 0, "gatherND", published::kWebnnTypes, {}, {.index = kNearest}},
    {Framework::jax, 0, "at_get", published::kJaxMaskTypes, kJaxGet, {.traits = kNoEmptyAxis}},
    {Framework::tensorflow,
     2,
     "gather_nd",
     published::kTensorflowTypes,
     kTensorflow,
     {.index = kNonNegative, .traits = kEmptyTuples | kNoEmptyData | kSevenDims}},
};

// Checks GN-2 and returns batch_dims counted from the front.
std::int64_t check_batch_dims(const Call& call, const Shape& data, const Shape& indices) {
  const std::int64_t b = call.get(kBatchDimsKey);
  const std::int64_t end = std::min(rank(data), rank(indices));
  const std::int64_t least = call.has_trait(kNegativeBatch) ? -rank(indices) : 0;
  const std::int64_t normalized = b < 0 ? b + rank(indices) : b;
  if (b >= least && normalized < end) return normalized;
  throw Error(cat("batch_dims ", b, " is out of range for data ", to_string(data), " and indices ",
                  to_string(indices), " (allowed ", least, "..", end - 1, ")"),
              "GN-2");
}

// Checks GN-3.
void check_batch(const Call& call, const Shape& data, const Shape& indices, std::int64_t batch_dims) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(batch_dims); ++d) {
    const bool allowed = call.has_trait(kBroadcastBatch);
    const bool has_1 = data[d] == 1 || indices[d] == 1;
    if (data[d] != indices[d] && !(allowed && has_1)) {
      throw Error(cat("batch dimension ", d, " of data ", to_string(data), " is ", data[d], ", of indices ",
                      to_string(indices), " it is ", indices[d], "; they must be equal",
                      allowed ? " or one of them 1" : ""),
                  "GN-3", "", shape_picture({{"data", data}, {"indices", indices}}, to_int64(d)));
    }
  }
}

// Checks GN-1 to GN-4, in this order.
SliceGeometry checked_slices(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  require_rank_1(call, 0, "GN-1");
  require_rank_1(call, 1, "GN-1");
  const std::int64_t b = check_batch_dims(call, data, indices);
  check_batch(call, data, indices, b);
  const std::int64_t k = indices.back();
  const std::int64_t least = call.has_trait(kEmptyTuples) ? 0 : 1;
  const std::int64_t most = std::min(rank(data), call.has_trait(kSevenDims) ? 7 : rank(data)) - b;
  if (k < least || k > most) {
    throw Error(cat("the last dimension of indices ", to_string(indices), " is ", k, "; for data ",
                    to_string(data), " with batch_dims ", b, " it must be ", least, "..", most),
                "GN-4", "", shape_picture({{"data", data}, {"indices", indices}}, rank(indices) - 1));
  }
  return tuple_slices(data, indices, b);
}

Planned plan(const Call& call) {
  SliceGeometry slices = checked_slices(call);
  if (call.has_trait(kNoEmptyData)) require_elements_for(call.operands[0].shape(), call.operands[1].shape());
  const auto b = to_int64(slices.dims.batching.size());
  Shape result = slices.shape;
  if (call.has_trait(kFusedBatch) && b > 1) {
    result.erase(result.begin() + 1, result.begin() + b);
    result[0] = bounded_count(slice(slices.shape, 0, b));
  }
  OutputInfo output = checked_output(call.operands[0].dtype(), std::move(result));
  if (call.has_trait(kNoEmptyAxis)) {
    const bool is_empty = count(output.shape) == 0;
    if (!is_empty || call.operands[1].rank() == 1)
      require_no_empty_axis(call.operands[0].shape(), 0, to_int64(slices.dims.index_map.size()));
    if (is_empty) return nothing_of(call, std::move(output), std::move(slices));
  }
  return plan_gather(call, std::move(output), std::move(slices));
}

constexpr OperatorName kNames[] = {{"gathernd"}, {"atget", Framework::jax, "at_get", {}, true}};

}  // namespace
}  // namespace gather_nd_operator

constinit const Operator kGatherNd = {
    .name = "gathernd",
    .summary = "Takes the slices of data that tuples of indices select",
    .meaning =
        "The last dimension of indices holds index tuples. Each tuple of length k selects the slice "
        "data[tuple], or with batch_dims a slice of its own batch of data. The output has the dtype of data.",
    .output_shape =
        "batch + indices.shape[batch_dims:-1] + data.shape[batch_dims+k:], where k is indices.shape[-1] and "
        "batch is data.shape[:batch_dims]",
    .example = "tensorop gathernd --data '[[0,1],[2,3]]' --indices '[[0,0],[1,1]]'",
    .family = "gather",
    .shapes = ShapeKind::gather_nd,
    .names = gather_nd_operator::kNames,
    .operands = gather_nd_operator::kOperands,
    .attributes = gather_nd_operator::kAttributes,
    .versions = gather_nd_operator::kVersions,
    .oob = kGatherOob,
    .rules = "GN-1 GN-2 GN-3 GN-4 BC-M1",
    .plan = gather_nd_operator::plan,
    .check_attributes = check_fill_value,
    .mask = MaskUse::leading,
};

}  // namespace tensorop
