// ScatterUpdate: slices put at positions along one axis, the inverse of Gather. Source: section 4.3
// (SU-1 ... SU-3).
#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/common.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "the tensor to start from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "positions along the axis, any shape"},
    {"updates", "T", OperandRole::data, "data's shape with that of indices in the place of the axis"},
};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "0", "", "", "the axis to scatter along; negative counts from the end"},
    {"reduction", AttributeKind::choice, "none", kReductions, "G-8",
     "how an update combines with what is there; none replaces it"},
    {"use_init_val", AttributeKind::boolean, "true", "", "",
     "false: a reduction begins with the first update instead of data"},
};

constexpr AttributeRow kStandard[] = {{"axis"}, {"reduction"}, {"use_init_val"}};
constexpr TypeRow kNumeric[] = {{"T", kNumericTypes}, {"Tind", kIntegerTypes}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "ScatterUpdate", kStandardTypes, kStandard},
    {Framework::openvino, 3, "ScatterUpdate", kNumeric, kAxisOnly, {.negative = false}},
};

OutputInfo infer(const Call& call) {
  (void)checked_reduction(call);  // a dtype rule: before ranks (G-9)
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  const Shape& updates = call.operands[2].shape();
  require_rank_1(call, 0, "SU-1");
  const std::int64_t axis = normalize_axis(call.integer("axis"), "data", data);
  Shape expected = slice(data, 0, axis);
  expected.insert(expected.end(), indices.begin(), indices.end());
  expected.insert(expected.end(), data.begin() + axis + 1, data.end());
  if (updates != expected) {
    throw Error(
        cat("updates ", to_string(updates), " must have shape ", to_string(expected), ": that of data ",
            to_string(data), " with that of indices ", to_string(indices), " in the place of axis ", axis),
        "SU-2");
  }
  return {call.operands[0].dtype(), data};
}

Plan plan(const Call& call, const OutputInfo& output) {
  const std::int64_t axis = normalize_axis(call.integer("axis"), "data", output.shape);
  const std::int64_t axis_size = output.shape[static_cast<std::size_t>(axis)];
  const AxisGeometry geometry{1, bounded_count(slice(output.shape, 0, axis)), axis_size,
                              count(call.operands[1].shape())};
  return scatter_plan(call, make_decoder(call, 1, {{axis_size, 1}}, axis),
                      bounded_count(slice(output.shape, axis + 1, rank(output.shape))),
                      [&](IndexDecoder decoder) { return axis_locator(std::move(decoder), geometry); });
}

constexpr OperatorName kNames[] = {{"scatterupdate"}};

}  // namespace

constinit const Operator kScatterUpdate = {
    .name = "scatterupdate",
    .summary = "Puts slices of updates into a copy of data, at positions along an axis",
    .example = "tensorop scatterupdate --data '[[1,2],[3,4]]' --indices '[1]' --updates '[[8,9]]'",
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
