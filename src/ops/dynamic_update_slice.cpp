// StableHLO's dynamic_update_slice: one window of data replaced. Source: section 3.3 of the publishers'
// specification (SD-1, SD-2).
#include "ops/registry.hpp"
#include "ops/slices.hpp"

namespace tensorop {
namespace dynamic_update_slice_operator {
namespace {

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to start from"},
    {"indices", "Tind", OperandRole::indices, "IX-3", "where the window begins in each dimension of data"},
    {"updates", "T", OperandRole::data, "T-1", "the window, of data's rank"},
};
constexpr Version kVersions[] = {
    {Framework::standard, 0, "dynamic_update_slice", kStandardTypes, {}, kClampedWindow},
    {Framework::stablehlo, release(0, 9), "dynamic_update_slice", kStablehloTypes, {}, kClampedWindow},
};

Planned plan(const Call& call) {
  const Shape& sizes = call.operands[2].shape();
  return plan_scatter_slices(call, check_dynamic_slice(call, sizes, "updates"), sizes, Reduction::none);
}

constexpr OperatorName kNames[] = {{"dynamicupdateslice"}};
constexpr std::string_view kRules[] = {"SD-1", "SD-2"};

}  // namespace
}  // namespace dynamic_update_slice_operator

constinit const Operator kDynamicUpdateSlice = {
    .name = "dynamicupdateslice",
    .summary = "Writes updates into a copy of data, in the window that begins where indices says",
    .meaning =
        "Replaces the window of data that begins at indices by updates. A window that would go beyond data "
        "begins earlier: its start is clamped, unlike that of scatterslices.",
    .output_shape = "data.shape",
    .example = "tensorop dynamicupdateslice '[[1,2,3],[4,5,6]]' '[1,9]' '[[7,8]]'",
    .family = "slices",
    .names = dynamic_update_slice_operator::kNames,
    .operands = dynamic_update_slice_operator::kOperands,
    .attributes = {},
    .versions = dynamic_update_slice_operator::kVersions,
    .oob = {},
    .rules = dynamic_update_slice_operator::kRules,
    .plan = dynamic_update_slice_operator::plan,
};

}  // namespace tensorop
