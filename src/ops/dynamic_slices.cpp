// StableHLO's dynamic_slice and dynamic_update_slice: take or replace one window of data. Source: StableHLO
// spec, dynamic_slice and dynamic_update_slice; docs/ops/slices.md (SD-1, SD-2).
#include "ops/axes.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"
#include "ops/slices.hpp"

namespace tensorop {
namespace dynamic_slice_operator {
namespace {

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to take the window from"},
    {"indices", "Tind", OperandRole::indices, "IX-3",
     "where the window begins in each dimension of data; clamped so that the window fits"},
};
constexpr AttributeSpec kAttributes[] = {
    {"slice_sizes", AttributeKind::integers, "", "the size of the window in each dimension of data", "SD-2",
     Choices(), true},
};
constexpr auto kSliceSizesKey = attribute_key<Shape>(kAttributes, "slice_sizes");
constexpr AttributeRow kSizes[] = {{"slice_sizes"}};
constexpr Version kVersions[] = {
    {Framework::standard, 0, "dynamic_slice", kStandardTypes, kSizes, {.index = kClampedWindow}},
    {Framework::stablehlo,
     release(0, 9),
     "dynamic_slice",
     kStablehloTypes,
     kSizes,
     {.index = kClampedWindow}},
};

Planned plan(const Call& call) {
  const Shape& sizes = call.get(kSliceSizesKey);
  return plan_windows(call, check_dynamic_slice(call, sizes, "slice_sizes"), sizes);
}

constexpr OperatorName kNames[] = {{"dynamicslice"}};
constexpr PublishedNames kPublishedNames[] = {{Framework::stablehlo, "operand start_indices"}};

}  // namespace
}  // namespace dynamic_slice_operator

constinit const Operator kDynamicSlice = {
    .name = "dynamicslice",
    .summary = "Takes one window of data, which begins where indices says",
    .meaning =
        "Takes the window of the size --slice-sizes that begins at indices. A window that would go beyond "
        "data begins earlier: its start is clamped.",
    .output_shape = "slice_sizes",
    .example = "tensorop dynamicslice '[[1,2,3],[4,5,6]]' '[0,9]' --slice-sizes 2,2",
    .family = "slices",
    .shapes = ShapeKind::dynamic_window,
    .names = dynamic_slice_operator::kNames,
    .operands = dynamic_slice_operator::kOperands,
    .attributes = dynamic_slice_operator::kAttributes,
    .versions = dynamic_slice_operator::kVersions,
    .published_names = dynamic_slice_operator::kPublishedNames,
    .rules = "SD-1 SD-2",
    .plan = dynamic_slice_operator::plan,
};

namespace dynamic_update_slice_operator {
namespace {

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to start from"},
    {"indices", "Tind", OperandRole::indices, "IX-3",
     "where the window begins in each dimension of data; clamped so that the window fits"},
    {"updates", "T", OperandRole::data, "T-1", "the window, of data's rank"},
};
constexpr Version kVersions[] = {
    {Framework::standard, 0, "dynamic_update_slice", kStandardTypes, {}, {.index = kClampedWindow}},
    {Framework::stablehlo,
     release(0, 9),
     "dynamic_update_slice",
     kStablehloTypes,
     {},
     {.index = kClampedWindow}},
};

Planned plan(const Call& call) {
  const Shape& sizes = call.operands[2].shape();
  return plan_scatter(call, {check_dynamic_slice(call, sizes, "updates"), sizes, sizes}, Reduction::none);
}

constexpr OperatorName kNames[] = {{"dynamicupdateslice"}};
constexpr PublishedNames kPublishedNames[] = {{Framework::stablehlo, "operand start_indices update"}};

}  // namespace
}  // namespace dynamic_update_slice_operator

constinit const Operator kDynamicUpdateSlice = {
    .name = "dynamicupdateslice",
    .summary = "Writes updates into a copy of data, in the window that begins where indices says",
    .meaning =
        "Replaces the window of data that begins at indices by updates. A window that would go beyond data "
        "begins earlier: its start is clamped, unlike in scatterslices.",
    .output_shape = "data.shape",
    .example = "tensorop dynamicupdateslice '[[1,2,3],[4,5,6]]' '[1,9]' '[[7,8]]'",
    .family = "slices",
    .shapes = ShapeKind::dynamic_window,
    .names = dynamic_update_slice_operator::kNames,
    .operands = dynamic_update_slice_operator::kOperands,
    .versions = dynamic_update_slice_operator::kVersions,
    .published_names = dynamic_update_slice_operator::kPublishedNames,
    .rules = "SD-1 SD-2",
    .plan = dynamic_update_slice_operator::plan,
};

}  // namespace tensorop
