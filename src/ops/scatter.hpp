// Parts shared by scatter operators: attributes, reductions, duplicates, and the shape of updates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/rows/reduce.hpp"
#include "ops/axes.hpp"
#include "ops/call.hpp"

namespace tensorop {

inline constexpr Choice kScatterOob[] = {{"error", OutOfBounds::error},
                                         {"drop", OutOfBounds::drop},
                                         {"clip", OutOfBounds::clip},
                                         {"clamp", OutOfBounds::clamp},
                                         {"wrap", OutOfBounds::wrap}};
// The modes of JAX's updates by at[].
inline constexpr Choice kUpdateModes[] = {{"drop", OutOfBounds::drop},
                                          {"fill", OutOfBounds::drop},
                                          {"promise_in_bounds", OutOfBounds::drop},
                                          {"clip", OutOfBounds::clip}};

inline constexpr Choice kDuplicates[] = {{"last", Duplicates::last}, {"error", Duplicates::error}};

// Open elements: the order of duplicate updates, and the effect of a NaN on min and max.
inline constexpr OpenRow kScatterOpen[] = {
    {Framework::onnx, OpenReason::duplicate_updates},      {Framework::onnx, OpenReason::nan_in_extreme},
    {Framework::openvino, OpenReason::duplicate_updates},  {Framework::openvino, OpenReason::nan_in_extreme},
    {Framework::stablehlo, OpenReason::duplicate_updates}, {Framework::webnn, OpenReason::duplicate_updates},
    {Framework::torch, OpenReason::duplicate_updates},     {Framework::jax, OpenReason::duplicate_updates},
    {Framework::tensorflow, OpenReason::nan_in_extreme},
};

// The words of reductions, shared by the scatter operators; each version lists those that it has.
inline constexpr Choice kReductions[] = {
    {"none", Reduction::none},    {"add", Reduction::add},      {"sum", Reduction::add},
    {"sub", Reduction::sub},      {"mul", Reduction::mul},      {"prod", Reduction::mul},
    {"min", Reduction::min},      {"max", Reduction::max},      {"mean", Reduction::mean},
    {"subtract", Reduction::sub}, {"multiply", Reduction::mul}, {"amin", Reduction::min},
    {"amax", Reduction::max},     {"minimum", Reduction::min},  {"maximum", Reduction::max}};
inline constexpr WordList kStandardReductions = "none add sum sub mul prod min max mean";

// The attributes of the scatter operators.
inline constexpr AttributeSpec kScatterAxisSpec = {"axis", AttributeKind::integer, "0",
                                                   "the axis to scatter along; negative counts from the end"};
inline constexpr AttributeSpec kUseInitValSpec = {
    "use_init_val", AttributeKind::boolean, "true",
    "false: a reduction starts with the first update instead of data, which a mean then does not count"};
[[nodiscard]] constexpr AttributeSpec reduction_spec(std::string_view rule) {
  return {"reduction",
          AttributeKind::choice,
          "none",
          "how an update is combined with the present value; none replaces the value; mean counts "
          "the value of data too, unless use_init_val is false",
          rule,
          kReductions};
}

inline constexpr AttributeSpec kBroadcastUpdatesSpec = {
    "broadcast_updates", AttributeKind::flag, "false",
    "repeat updates to the shape they must have, by NumPy's rule"};

// Returns the sign between the terms of a reduction: "+"; empty: it is written as a function.
[[nodiscard]] std::string_view sign_of(Reduction reduction, bool is_bool);

// Throws Error [G-8] if --duplicates is combined with a reduction, which combines duplicates.
void check_duplicates(const Call& call, AttributeKey<Reduction> key);

// Completes the description of a scatter operator; `op` has its own parts. kKey is the key of its
// reduction; kCheck checks its own attributes.
template <AttributeKey<Reduction> kKey, void (*kCheck)(const Call& call) = nullptr>
[[nodiscard]] consteval Operator scatter_operator(Operator op) {
  op.output_shape = "data.shape";
  if (op.family.empty()) op.family = "scatter";
  if (op.oob.empty()) op.oob = kScatterOob;
  op.duplicates = kDuplicates;
  op.open = kScatterOpen;
  op.check_attributes = [](const Call& call) {
    if constexpr (kCheck != nullptr) kCheck(call);
    check_duplicates(call, kKey);
    check_flat(call);
  };
  return op;
}

// Checks that the reduction of a call, if its operator has one, is defined for the dtype of data. Marks what
// the publisher defines. Throws Error: [T-1] for a small dtype of the default semantics, which is only moved,
// otherwise [T-3].
void check_reduction(Call& call);

// Checks that operand 2 (updates) has the shape `expected`, or with `repeat` that it broadcasts to that
// shape. `why` explains the expected shape in the message. Throws Error [rule].
void require_updates_shape(const Call& call, const Shape& expected, bool repeat, const std::string& why,
                           std::string_view rule);

}  // namespace tensorop
