// Shared by the gather and scatter operators: attribute rows, axis checks, and index policies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/rows/combine.hpp"
#include "ops/call.hpp"
#include "ops/published_types.hpp"
#include "ops/row_plans.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {

// The dtypes of the default semantics.
inline constexpr TypeRows kStandardTypes = {{"T", kAllTypes}, {"Tind", kIntegerTypes}};

inline constexpr AttributeRow kAxisOnly[] = {{"axis"}};
inline constexpr AttributeRow kNonNegativeAxis[] = {{"axis", {}, {}, true}};
inline constexpr AttributeRow kBatchDimsOnly[] = {{"batch_dims"}};

inline constexpr Choice kGatherOob[] = {{"error", OutOfBounds::error}, {"zero", OutOfBounds::zero},
                                        {"clip", OutOfBounds::clip},   {"clamp", OutOfBounds::clamp},
                                        {"wrap", OutOfBounds::wrap},   {"fill", OutOfBounds::fill}};
inline constexpr Choice kScatterOob[] = {{"error", OutOfBounds::error},
                                         {"drop", OutOfBounds::drop},
                                         {"clip", OutOfBounds::clip},
                                         {"clamp", OutOfBounds::clamp},
                                         {"wrap", OutOfBounds::wrap}};

// The attribute of NumPy and JAX that is the policy of a call, as --oob is in the default semantics.
inline constexpr std::string_view kModeName = "mode";
inline constexpr Choice kIndexModes[] = {{"raise", OutOfBounds::error},
                                         {"wrap", OutOfBounds::wrap},
                                         {"clip", OutOfBounds::clip},
                                         {"fill", OutOfBounds::fill},
                                         {"drop", OutOfBounds::drop}};
inline constexpr AttributeSpec kIndexModeSpec = {
    kModeName, AttributeKind::choice,
    "",        "what happens to an index out of range, in numpy and jax; without them --oob",
    kCallRule, kIndexModes};
// Of JAX's at[].get and of its updates: words of one meaning in each.
inline constexpr Choice kGetModes[] = {{"clip", OutOfBounds::clip},
                                       {"promise_in_bounds", OutOfBounds::clip},
                                       {"fill", OutOfBounds::fill},
                                       {"drop", OutOfBounds::fill}};
inline constexpr Choice kUpdateModes[] = {{"drop", OutOfBounds::drop},
                                          {"fill", OutOfBounds::drop},
                                          {"promise_in_bounds", OutOfBounds::drop},
                                          {"clip", OutOfBounds::clip}};
[[nodiscard]] constexpr AttributeSpec at_mode_spec(Choices modes) {
  return {kModeName, AttributeKind::choice, "", kIndexModeSpec.help, kCallRule, modes};
}
inline constexpr AttributeSpec kFillValueSpec = {
    "fill_value", AttributeKind::element, "",
    "the value that an index out of range selects, with --oob fill, and in jax with --mode fill"};
inline constexpr IndexRule kClipsRaw = {.clips_raw = true};
inline constexpr WordList kRaiseWrapClip = "raise wrap clip";
inline constexpr WordList kFillClipWrap = "fill clip wrap";
// JAX's default fill value, which depends on the dtype: NaN, the lowest signed and the highest
// unsigned integer, true.
[[nodiscard]] std::string default_fill(DType dtype);

// Whether an attribute is the policy of a call.
[[nodiscard]] constexpr bool is_policy(const AttributeSpec& spec) {
  return !spec.choices.empty() && spec.choices[0].type == &kEnumTag<OutOfBounds>;
}

// What the call does with its index values: by the version, the attribute that is a policy, or --oob.
[[nodiscard]] IndexPolicy index_policy(const Call& call);

// The element that an index out of range selects; nothing where the policy is not fill.
[[nodiscard]] std::optional<Tensor> fill_value(const Call& call);

// Throws Error [G-8] for a fill value that is missing or not used.
void check_fill_value(const Call& call);

// The names of PyTorch, NumPy and JAX that take the elements of data in row-major order where no axis is
// given have it true.
inline constexpr AttributeSpec kFlatSpec = {
    "flat", AttributeKind::flag, "false",
    "data is taken as flat: indices count its elements in row-major order"};
[[nodiscard]] bool is_flat(const Call& call);
// Throws Error [G-8] for an axis of what is flat.
void check_flat(const Call& call);
// How many indices there are for an axis of data, which may be flat or have no dimensions.
[[nodiscard]] std::int64_t indexed_size(const Call& call, std::int64_t axis);
// The call with its first operands flattened.
[[nodiscard]] Call flattened(const Call& call, std::size_t operands);
// Plans the call with operands of rank 0 as of shape (1).
[[nodiscard]] Planned plan_without_scalars(const Call& call, Planned (*plan)(const Call&));
// Whether indices have no element: PyTorch then checks the axis alone. Throws Error [AX-1].
[[nodiscard]] bool selects_nothing(const Call& call);
// Plans a result without elements, for which no index is looked at.
[[nodiscard]] Planned nothing_of(const Call& call, OutputInfo output,
                                 std::optional<SliceGeometry> slices = {});
// Plans a copy of data.
[[nodiscard]] Planned copy_of(const Call& call, std::optional<SliceGeometry> slices = {});
// Throws Error [PT-2] unless the rank of operand 1 (indices) is at most 1.
void require_vector(const Call& call);

inline constexpr Choice kDuplicates[] = {{"last", Duplicates::last}, {"error", Duplicates::error}};

// 1.3, 1.7: in which order duplicates are applied, and what a NaN does to min and max.
inline constexpr OpenRow kScatterOpen[] = {
    {Framework::onnx, OpenReason::duplicate_updates},      {Framework::onnx, OpenReason::nan_in_extreme},
    {Framework::openvino, OpenReason::duplicate_updates},  {Framework::openvino, OpenReason::nan_in_extreme},
    {Framework::stablehlo, OpenReason::duplicate_updates}, {Framework::webnn, OpenReason::duplicate_updates},
    {Framework::torch, OpenReason::duplicate_updates},     {Framework::jax, OpenReason::duplicate_updates},
};

// Rows of table 4.5, shared by the scatter operators.
inline constexpr Choice kReductions[] = {
    {"none", Reduction::none},    {"add", Reduction::add},      {"sum", Reduction::add},
    {"sub", Reduction::sub},      {"mul", Reduction::mul},      {"prod", Reduction::mul},
    {"min", Reduction::min},      {"max", Reduction::max},      {"mean", Reduction::mean},
    {"subtract", Reduction::sub}, {"multiply", Reduction::mul}, {"amin", Reduction::min},
    {"amax", Reduction::max},     {"minimum", Reduction::min},  {"maximum", Reduction::max}};
inline constexpr WordList kStandardReductions = "none add sum sub mul prod min max mean";
inline constexpr WordList kTorchReduceReductions = "sum prod mean amax amin";

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

// `axis` counted from the front. Throws Error [AX-1] unless -rank <= axis < rank.
[[nodiscard]] std::int64_t normalize_axis(std::int64_t axis, const std::string& operand, const Shape& shape);

// Throws Error [rule] when operand `i` has rank 0.
void require_rank_1(const Call& call, std::size_t i, std::string_view rule);

// Throws Error [IX-1] when one of the axes [begin, end) of data has no elements.
void require_no_empty_axis(const Shape& data, std::int64_t begin, std::int64_t end);

// The first dimension that is not the same in both, also where only one has it.
[[nodiscard]] std::int64_t first_difference(const Shape& a, const Shape& b);

// The dimensions [begin, end) of a shape.
[[nodiscard]] Shape slice(const Shape& shape, std::int64_t begin, std::int64_t end);

// Throws Error [G-8] for --duplicates beside a reduction, which combines duplicates.
void check_duplicates(const Call& call, AttributeKey<Reduction> key);

// A scatter operator, of which `op` has what is its own. kKey is that of its reduction; kCheck checks its own
// attributes.
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

// The reduction of the call. Throws Error when it is not defined for the dtype of data: [T-1] for a small
// dtype, which is only moved, else [T-3].
[[nodiscard]] Reduction checked_reduction(const Call& call, AttributeKey<Reduction> key);

// Checks that operand 2 (updates) has the shape `expected`; with `repeat` it may broadcast to that shape, and
// must not otherwise. `why` says what makes the shape, in the message. Throws Error [rule].
void require_updates_shape(const Call& call, const Shape& expected, bool repeat, const std::string& why,
                           std::string_view rule, const std::string& hint = {});

}  // namespace tensorop
