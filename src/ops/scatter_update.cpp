// ScatterUpdate: slices written at positions along one axis, the inverse of Gather. Source:
// docs/ops/scatter.md (GA-1, SU-2).
#include <utility>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/index_policy.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"
#include "ops/scatter.hpp"

namespace tensorop {
namespace scatter_update_operator {
namespace {

constexpr Trait kVectorIndex{"indices have rank 1, and what has no dimensions counts as (1) (PT-2)"};
constexpr Trait kCyclesUpdates{
    "updates begin again at their first element as often as there are indices; further ones are not used"};
constexpr Trait kBothScalars{"updates have no dimensions if, and only if, data has none (PT-2)"};

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to start from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "IX-3", "positions along the axis, any shape"},
    {"updates", "T", OperandRole::data, "T-1",
     "the shape of data, with the shape of indices in place of the axis"},
};

constexpr AttributeSpec kAttributes[] = {
    kScatterAxisSpec, reduction_spec(kCallRule), kUseInitValSpec, kBroadcastUpdatesSpec,
    kFlatSpec,        at_mode_spec(kPutModes),
};

constexpr auto kAxisKey = attribute_key<std::int64_t>(kAttributes, "axis");
constexpr auto kReductionKey = attribute_key<Reduction>(kAttributes, "reduction");
constexpr auto kUseInitValKey = attribute_key<bool>(kAttributes, "use_init_val");
constexpr auto kBroadcastUpdatesKey = attribute_key<bool>(kAttributes, "broadcast_updates");

constexpr AttributeRow kStandard[] = {
    {"axis"}, {"reduction", kStandardReductions}, {"use_init_val"}, {"broadcast_updates"}, {"flat"}};
constexpr AttributeRow kIndexReduce[] = {
    {"axis"}, {"reduction", "prod mean amax amin", "prod"}, {"use_init_val"}};
constexpr AttributeRow kTorchPut[] = {{"reduction", "none add"}};
constexpr AttributeRow kNumpyPut[] = {{kModeName, kRaiseWrapClip, "raise"}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "ScatterUpdate", kStandardTypes, kStandard},
    {Framework::openvino,
     3,
     "ScatterUpdate",
     published::kOpenvinoNumberTypes,
     kAxisOnly,
     {.index = kNonNegative}},
    {Framework::torch,
     2,
     "index_copy",
     published::kTorchTypes,
     kAxisOnly,
     {.index = kNonNegative, .traits = kVectorIndex}},
    {Framework::torch,
     2,
     "index_add",
     published::kTorchAxisTypes,
     kAxisOnly,
     {.index = kNonNegative, .traits = kVectorIndex | kBothScalars}},
    {Framework::torch,
     2,
     "index_reduce",
     published::kTorchAxisNumberTypes,
     kIndexReduce,
     {.index = kNonNegative, .traits = kVectorIndex | kBothScalars}},
    {Framework::torch, 2, "put_", published::kTorchTypes, kTorchPut},
    {Framework::numpy,
     2,
     "put",
     published::kNumpyTakeTypes,
     kNumpyPut,
     {.index = kClipsRaw, .traits = kCyclesUpdates, .converts = true}},
};

// Checks GA-1 and SU-2.
SliceGeometry checked_slices(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  require_rank_1(call, 0, "GA-1");
  const std::int64_t axis = normalize_axis(call.get(kAxisKey), "data", data);
  SliceGeometry slices =
      call.form.range ? range_slice(data, axis, *call.form.range) : axis_slices(data, indices, axis, 0);
  if (call.has_trait(kCyclesUpdates)) return slices;
  require_updates_shape(
      call, slices.shape, call.get(kBroadcastUpdatesKey),
      cat("the shape of data ", to_string(data), " with the shape of indices ",
          to_string(call.form.range ? Shape{call.form.range->count} : indices), " instead of axis ", axis),
      "SU-2");
  return slices;
}

Planned plan_slices(const Call& call) {
  SliceGeometry slices = checked_slices(call);
  ScatterOptions options{.use_init_val = call.get(kUseInitValKey)};
  if (call.has_trait(kCyclesUpdates)) {
    const std::int64_t given = call.operands[2].size();
    if (given == 0) return copy_of(call, std::move(slices));
    const std::int64_t cycles = ceil_div(count(slices.shape), given);
    options.updates_shape = cycles > 1 ? Shape{cycles, given} : slices.shape;
    options.update_strides = cycles > 1 ? BroadcastStrides{0, 1} : BroadcastStrides{1};
  }
  const bool wraps = call.has_trait(kVectorIndex) && kIntegerTypes.contains(call.operands[0].dtype());
  if (wraps) options.rounding = Rounding::sum_and_mean;  // wraps the sum for a mean
  return plan_scatter(call, std::move(slices), call.get(kReductionKey), std::move(options));
}

Planned plan(const Call& call) {
  const bool has_vector = call.has_trait(kVectorIndex);
  if (!has_vector && !is_flat(call)) return plan_slices(call);
  if (has_vector) require_vector(call);
  const Shape& data = call.operands[0].shape();
  const Shape& updates = call.operands[2].shape();
  if (call.has_trait(kBothScalars) && data.empty() != updates.empty())
    throw Error(cat("updates ", to_string(updates), " and data ", to_string(data),
                    ": one of them has no dimensions, the other has"),
                "PT-2");
  Planned planned = has_vector ? plan_without_scalars(call, plan_slices)
                               : plan_slices(flattened(call, call.operands.size()));
  planned.output.shape = data;
  return planned;
}

constexpr OperatorName kNames[] = {
    {"scatterupdate", {}, "ScatterUpdate index_copy"},
    {"indexcopy", Framework::torch, "index_copy"},
    {"indexadd", Framework::torch, "index_add", {"reduction", "add"}},
    {"indexreduce", Framework::torch, "index_reduce", {"reduction", "prod"}},
    {"put", Framework::torch, "put_", {"flat", "true"}},
    {"put", Framework::numpy, "put", {"flat", "true"}},
};

}  // namespace
}  // namespace scatter_update_operator

constinit const Operator kScatterUpdate = scatter_operator<scatter_update_operator::kReductionKey>({
    .name = "scatterupdate",
    .summary = "Writes slices of updates into a copy of data, at positions along an axis",
    .meaning =
        "Each index selects one slice of a copy of data along axis, into which the slice of updates at the "
        "same "
        "position is written: the inverse of gather. With a reduction the update is combined with the slice.",
    .example = "tensorop scatterupdate --data '[[1,2],[3,4]]' --indices '[1]' --updates '[[8,9]]'",
    .shapes = ShapeKind::scatter_update,
    .names = scatter_update_operator::kNames,
    .operands = scatter_update_operator::kOperands,
    .attributes = scatter_update_operator::kAttributes,
    .versions = scatter_update_operator::kVersions,
    .rules = "T-3 AX-1 GA-1 SU-2 PT-2",
    .plan = scatter_update_operator::plan,
    .mask = MaskUse::along_axis,
});

}  // namespace tensorop
