// ScatterND and OpenVINO's ScatterNDUpdate: slices written where tuples of indices select. Source:
// docs/ops/scatter.md (GN-1, SN-2, SN-3).
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/index_policy.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"
#include "ops/scatter.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {
namespace scatter_nd_operator {
namespace {

constexpr Trait kAnyScalarUpdate{"a single scalar update may have any shape of one element (SN-3)"};
constexpr Trait kRepeatsUpdates{"updates are repeated to their shape (SN-3)"};
constexpr Trait kNoBoolSum{"add, subtract and multiply are not defined for bool (T-3)"};
constexpr Trait kNoBoolDifference{"subtract is not defined for bool (T-3)"};
constexpr Trait kWritesNothing{
    "updates without elements are not looked at, and an axis without elements has no indices without "
    "dimensions (IX-1)"};
constexpr Trait kTuplesAlone{
    "indices has rank 2 or more (GN-1), its tuples have 1 to 7 components (SN-2), and data without elements "
    "has none (IX-1)"};

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to start from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "IX-3",
     "index tuples along the last dimension, rank at least 1; at_set, ufunc_at and index_put take an operand "
     "for each index array"},
    {"updates", "T", OperandRole::data, "T-1", "a slice of data for each tuple"},
};

constexpr AttributeSpec kAttributes[] = {
    reduction_spec("SE-6"),
    kUseInitValSpec,
    kBroadcastUpdatesSpec,
    at_mode_spec(kUpdateModes),
    bad_indices_spec(kScatterBadIndices),
    {kMadeShapeName, AttributeKind::integers, "",
     "in tensorflow's scatter_nd, the shape of the zeros that stand for data: 2,3 or a tensor operand",
     "BC-T1"},
};

constexpr auto kReductionKey = attribute_key<Reduction>(kAttributes, "reduction");
constexpr auto kUseInitValKey = attribute_key<bool>(kAttributes, "use_init_val");
constexpr auto kBroadcastUpdatesKey = attribute_key<bool>(kAttributes, "broadcast_updates");

constexpr AttributeRow kOnnx16[] = {{"reduction", "none add mul"}};
constexpr AttributeRow kOnnx18[] = {{"reduction", "none add mul max min"}};
constexpr AttributeRow kOpenvino15[] = {{"reduction", "none sum sub prod min max"}};
constexpr AttributeRow kTorchPut[] = {{"reduction", "none add"}};
constexpr AttributeRow kNumpyAt[] = {{"reduction", "add subtract multiply minimum maximum", "add"}};
constexpr AttributeRow kJaxAt[] = {{"reduction", "none add subtract multiply min max"},
                                   {kModeName, {}, "drop"}};
constexpr AttributeRow kTensorflow[] = {kBadIndicesRow};
constexpr AttributeRow kTensorflowMade[] = {{.name = kMadeShapeName, .required = true}, kBadIndicesRow};
constexpr AttributeRow kStandard[] = {
    {"reduction", kStandardReductions}, {"use_init_val"}, {"broadcast_updates"}};
constexpr TypeRows kNumpyAtTypes = {
    {"T", {published::kOldNumbersAndBool, DType::complex64, DType::complex128}},
    {"Tind", published::kIntegers, DType::boolean}};

constexpr TypeRows kOpenvino3Types = {{"T", published::kNumbers}, {"Tind", published::kInt32Or64}};
constexpr TypeRows kOpenvino15Types = {{"T", published::kNumbersAndBool}, {"Tind", published::kInt32Or64}};

constexpr TypeRows kTensorflowSums = {{"T", published::kTensorflowNumbers}, {"Tind", published::kInt32Or64}};
constexpr TypeRows kTensorflowExtremes = {{"T", published::kNumbers}, {"Tind", published::kInt32Or64}};
constexpr TypeRows kTensorflowMadeTypes = {
    {"T", published::kTensorflowNumbers, {DType::boolean, DType::string}},
    {"Tind", published::kInt32Or64},
    {kMadeShapeName, published::kInt32Or64}};

// A version of TensorFlow.
constexpr Version tensorflow_version(std::string_view published, const TypeRows& types,
                                     std::span<const AttributeRow> attributes = kTensorflow) {
  return {Framework::tensorflow,
          2,
          published,
          types,
          attributes,
          {.index = kNonNegative, .traits = kTuplesAlone}};
}

constexpr auto kVersions = and_mdf(std::to_array<Version>({
    {Framework::standard, 0, "ScatterND", kStandardTypes, kStandard, {.traits = kAnyScalarUpdate}},
    {Framework::onnx, 11, "ScatterND", published::kOldOnnxNdTypes, {}},
    {Framework::onnx, 13, "ScatterND", published::kOnnxNdTypes, {}},
    {Framework::onnx, 16, "ScatterND", published::kOnnxNdTypes, kOnnx16},
    {Framework::onnx, 18, "ScatterND", published::kOnnxNdTypes, kOnnx18},
    {Framework::openvino,
     3,
     "ScatterNDUpdate",
     kOpenvino3Types,
     {},
     {.index = kNonNegative, .traits = kAnyScalarUpdate}},
    {Framework::openvino, 15, "ScatterNDUpdate", kOpenvino15Types, kOpenvino15, {.traits = kAnyScalarUpdate}},
    {Framework::webnn, 0, "scatterND", published::kWebnnTypes, {}, {.index = kNearest}},
    {Framework::torch, 2, "index_put", published::kTorchPutTypes, kTorchPut, {.traits = kRepeatsUpdates}},
    {Framework::numpy,
     2,
     "ufunc_at",
     kNumpyAtTypes,
     kNumpyAt,
     {.traits = kRepeatsUpdates | kNoBoolDifference, .missing_rule = "T-3", .converts = true}},
    {Framework::jax,
     0,
     "at",
     published::kJaxMaskTypes,
     kJaxAt,
     {.traits = kRepeatsUpdates | kNoBoolSum | kWritesNothing, .missing_rule = "T-3", .converts = true}},
    tensorflow_version("scatter_nd", kTensorflowMadeTypes, kTensorflowMade),
    tensorflow_version("tensor_scatter_nd_add", kTensorflowSums),
    tensorflow_version("tensor_scatter_nd_sub", kTensorflowSums),
    tensorflow_version("tensor_scatter_nd_min", kTensorflowExtremes),
    tensorflow_version("tensor_scatter_nd_max", kTensorflowExtremes),
    tensorflow_version("tensor_scatter_nd_update", published::kTensorflowTypes),
}));

// Checks GN-1, SN-2 and SN-3.
SliceGeometry checked_slices(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  const Shape& updates = call.operands[2].shape();
  const bool are_tuples_alone = call.has_trait(kTuplesAlone);
  require_rank_1(call, 0, "GN-1");
  require_rank_1(call, 1, "GN-1");
  if (are_tuples_alone && rank(indices) == 1)
    throw Error(
        cat("indices ", to_string(indices), " has rank 1; ", call.version_name("needs"), " 2 or more"),
        "GN-1");
  const std::int64_t k = indices.back();
  const std::int64_t least = are_tuples_alone ? 1 : 0;
  const std::int64_t most = are_tuples_alone ? std::min<std::int64_t>(rank(data), 7) : rank(data);
  if (k < least || k > most) {
    throw Error(cat("the last dimension of indices ", to_string(indices), " is ", k, "; for data ",
                    to_string(data), " it must be ", least, "..", most),
                "SN-2", "", shape_picture({{"data", data}, {"indices", indices}}, rank(indices) - 1));
  }
  SliceGeometry slices = tuple_slices(data, indices, 0);
  if (call.has_trait(kWritesNothing)) {
    if (indices.size() == 1) require_no_empty_axis(data, 0, k);
    if (element_count(slices.shape) == 0) return slices;
  }
  const bool is_scalar = slices.shape.empty() && element_count(updates) == 1;
  if (is_scalar && call.has_trait(kAnyScalarUpdate)) return slices;
  require_updates_shape(
      call, slices.shape, call.has_trait(kRepeatsUpdates) || call.get(kBroadcastUpdatesKey),
      cat("the shape of indices ", to_string(indices), " without its last dimension, then the shape of data ",
          to_string(data), " from dimension ", k),
      "SN-3");
  if (are_tuples_alone) require_elements_for(data, indices);
  return slices;
}

// Throws Error [T-3] if the version does not define the reduction for bool.
void require_defined_for_bool(const Call& call, Reduction reduction) {
  const bool is_sum =
      reduction == Reduction::add || reduction == Reduction::sub || reduction == Reduction::mul;
  const bool is_refused = (is_sum && call.has_trait(kNoBoolSum)) ||
                          (reduction == Reduction::sub && call.has_trait(kNoBoolDifference));
  if (is_refused && call.operands[0].dtype() == DType::boolean)
    throw Error(cat(call.version_name("has"), " no ", call.word(kReductionKey), " of bool"), "T-3");
}

Planned plan(const Call& call) {
  const Reduction reduction = call.get(kReductionKey);
  require_defined_for_bool(call, reduction);
  SliceGeometry slices = checked_slices(call);
  const bool is_empty = call.operands[0].size() == 0 || element_count(slices.shape) == 0;
  if (call.has_trait(kWritesNothing) && is_empty) return copy_of(call, std::move(slices));
  return plan_scatter(call, std::move(slices), reduction, {.use_init_val = call.get(kUseInitValKey)});
}

constexpr OperatorName kNames[] = {
    {"scatternd", {}, "ScatterND ScatterNDUpdate scatterND index_put ufunc_at at"},
    {"scatterndupdate", {}, "ScatterNDUpdate"},
    {"indexput", Framework::torch, "index_put", {}, true},
    {"ufuncat", Framework::numpy, "ufunc_at", {"reduction", "add"}, true},
    {"atset", Framework::jax, "at", {"reduction", "none", true}, true},
    {"atadd", Framework::jax, "at", {"reduction", "add", true}, true},
    {"atsubtract", Framework::jax, "at", {"reduction", "subtract", true}, true},
    {"atmultiply", Framework::jax, "at", {"reduction", "multiply", true}, true},
    {"atmul", Framework::jax, "at", {"reduction", "multiply", true}, true},
    {"atmin", Framework::jax, "at", {"reduction", "min", true}, true},
    {"atmax", Framework::jax, "at", {"reduction", "max", true}, true},
    {"scatternd", Framework::tensorflow, "scatter_nd", {"reduction", "add"}, false, true},
    {"tensorscatterndupdate", Framework::tensorflow, "tensor_scatter_nd_update"},
    {"tensorscatterndadd", Framework::tensorflow, "tensor_scatter_nd_add", {"reduction", "add"}},
    {"tensorscatterndsub", Framework::tensorflow, "tensor_scatter_nd_sub", {"reduction", "sub"}},
    {"tensorscatterndmin", Framework::tensorflow, "tensor_scatter_nd_min", {"reduction", "min"}},
    {"tensorscatterndmax", Framework::tensorflow, "tensor_scatter_nd_max", {"reduction", "max"}},
};

}  // namespace
}  // namespace scatter_nd_operator

constinit const Operator kScatterNd = scatter_operator<scatter_nd_operator::kReductionKey>({
    .name = "scatternd",
    .summary = "Writes slices of updates into a copy of data, where tuples of indices select",
    .meaning =
        "The last dimension of indices holds index tuples. The update of each tuple is written into the "
        "slice data[tuple] of a copy of data. With a reduction the update is combined with the slice.",
    .example = "tensorop scatternd --data '[1,2,3,4,5]' --indices '[[4],[1]]' --updates '[9,10]'",
    .shapes = ShapeKind::scatter_nd,
    .names = scatter_nd_operator::kNames,
    .operands = scatter_nd_operator::kOperands,
    .attributes = scatter_nd_operator::kAttributes,
    .versions = scatter_nd_operator::kVersions,
    .rules = "T-3 GN-1 SN-2 SN-3 BC-M1 BC-T2",
    .plan = scatter_nd_operator::plan,
    .mask = MaskUse::leading,
});

}  // namespace tensorop
