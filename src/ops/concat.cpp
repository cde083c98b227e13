// Concat: tensors one after the other along an axis. Source: docs/ops/concat.md.
#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/elements/element_plans.hpp"
#include "ops/axes.hpp"
#include "ops/published_types.hpp"
#include "ops/registry.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {
namespace concat_operator {
namespace {

constexpr Trait kSkipsEmpty{"an operand of shape (0) is left out, whatever the rank of the others"};

constexpr OperandSpec kOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the first operand"},
    {"b", "T", OperandRole::data, "T-1",
     "any number of further operands, of a's dtype; without them a is copied", true},
};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "0",
     "the axis along which the operands follow each other; negative counts from the end"},
    {"flat", AttributeKind::flag, "false", "the operands are flat: their elements in row-major order"},
};
constexpr auto kAxisKey = attribute_key<std::int64_t>(kAttributes, "axis");

constexpr AttributeRow kOnnx1[] = {{"axis", {}, "1", true}};
constexpr AttributeRow kNeedsAxis[] = {{.name = "axis", .required = true}};
constexpr AttributeRow kNeedsNonNegativeAxis[] = {{.name = "axis", .non_negative = true, .required = true}};
constexpr AttributeRow kAxisOrFlat[] = {{"axis"}, {"flat"}};

constexpr auto kVersions = and_mdf(std::to_array<Version>({
    {Framework::standard, 0, "Concat", kAllTypes, kAxisOnly},
    {Framework::onnx, 1, "Concat", published::kOldFloats, kOnnx1},
    {Framework::onnx, 4, "Concat", published::kOldOnnxAny, kNeedsNonNegativeAxis},
    {Framework::onnx, 11, "Concat", published::kOldOnnxAny, kNeedsAxis},
    {Framework::onnx, 13, "Concat", published::kOnnxAny, kNeedsAxis},
    {Framework::openvino, 1, "Concat", published::kOpenvinoAny, kNeedsAxis},
    {Framework::stablehlo, release(0, 9), "concatenate", published::kStablehloMoved, kNeedsNonNegativeAxis},
    {Framework::webnn, 0, "concat", published::kWebnnAny, kNeedsNonNegativeAxis},
    {Framework::torch,
     2,
     "cat",
     published::kTorchMoved,
     kAxisOnly,
     {.traits = kSkipsEmpty, .converts = true}},
    {Framework::numpy, 2, "concatenate", published::kNumpyAny, kAxisOrFlat, {.converts = true}},
    {Framework::jax, 0, "concatenate", published::kJaxAny, kAxisOrFlat, {.converts = true}},
    {Framework::tensorflow, 2, "concat", published::kTensorflowAny, kNeedsAxis},
}));

bool is_skipped(const Call& call, std::size_t i) {
  return call.has_trait(kSkipsEmpty) && call.operands[i].shape() == Shape{0};
}

NamedShape named_shape_of(const Call& call, std::size_t i) {
  return {call.operand_label(i), call.operands[i].shape()};
}

// Checks CC-1 for `b`, which is joined to `a`.
void require_rank(const NamedShape& a, const NamedShape& b) {
  if (a.shape.size() == b.shape.size()) return;
  throw Error(cat(b.name, " ", to_string(b.shape), " has rank ", b.shape.size(), ", ", a.name, " ",
                  to_string(a.shape), " has rank ", a.shape.size(), "; they must be equal"),
              "CC-1");
}

// Checks CC-2, after CC-1.
void require_joins(const NamedShape& a, const NamedShape& b, std::int64_t axis) {
  for (std::int64_t d = 0; d < rank(a.shape); ++d) {
    const std::int64_t in_a = a.shape[to_size(d)];
    const std::int64_t in_b = b.shape[to_size(d)];
    if (d == axis || in_a == in_b) continue;
    throw Error(cat("dimension ", d, " of ", b.name, " ", to_string(b.shape), " is ", in_b, ", of ", a.name,
                    " ", to_string(a.shape), " it is ", in_a, "; they may differ only along axis ", axis),
                "CC-2", "", shape_picture({a, b}, d));
  }
}

// Checks CC-1, AX-1 and CC-2, in this order.
Planned plan_joined(const Call& call) {
  const std::size_t operands = call.operands.size();
  std::size_t first = 0;
  while (first + 1 < operands && is_skipped(call, first)) ++first;
  for (std::size_t i = 0; i < operands; ++i) require_rank_1(call, i, "CC-1");
  // PyTorch does not look at the axis then.
  if (is_skipped(call, first)) return nothing_of(call, checked_output(call.operands[0].dtype(), {0}));
  const NamedShape a = named_shape_of(call, first);
  for (std::size_t i = 0; i < operands; ++i) {
    if (!is_skipped(call, i)) require_rank(a, named_shape_of(call, i));
  }
  const std::int64_t axis = normalize_axis(call.get(kAxisKey), a.name, a.shape);
  Shape joined = a.shape;
  for (std::size_t i = 0; i < operands; ++i) {
    if (i == first || is_skipped(call, i)) continue;
    require_joins(a, named_shape_of(call, i), axis);
    std::int64_t& size = joined[to_size(axis)];
    const auto sum = checked_add(size, call.operands[i].shape()[to_size(axis)]);
    if (!sum) throw Error(cat("the sum of the operands' sizes along axis ", axis, " exceeds 2^63-1"), "G-2");
    size = *sum;
  }
  OutputInfo output = checked_output(call.operands[first].dtype(), std::move(joined));
  if (count(output.shape) == 0) return nothing_of(call, std::move(output));
  std::vector<std::int64_t> row_elements;
  for (std::size_t i = 0; i < operands; ++i) {
    const Shape& own = call.operands[i].shape();
    row_elements.push_back(is_skipped(call, i) ? 0 : count(slice(own, axis, rank(own))));
  }
  return {std::move(output), concat_plan(call.operands, row_elements)};
}

Planned plan(const Call& call) {
  return plan_joined(is_flat(call) ? flattened(call, call.operands.size()) : call);
}

constexpr PublishedNames kPublishedNames[] = {{Framework::onnx, "inputs", "concat_result"}};
constexpr OperatorName kNames[] = {{"concat"}, {"concatenate"}, {"cat", Framework::torch}};

}  // namespace
}  // namespace concat_operator

constinit const Operator kConcat = {
    .name = "concat",
    .summary = "Joins any number of tensors along an axis",
    .meaning =
        "The result has the elements of the operands one after the other along axis. A single operand is "
        "copied.",
    .output_shape = "a.shape, with the sum of the operands' sizes along axis",
    .example = "tensorop concat '[[1,2],[3,4]]' '[[5],[6]]' --axis 1",
    .family = "concat",
    .shapes = ShapeKind::joined,
    .names = concat_operator::kNames,
    .operands = concat_operator::kOperands,
    .attributes = concat_operator::kAttributes,
    .versions = concat_operator::kVersions,
    .published_names = concat_operator::kPublishedNames,
    .rules = "AX-1 AX-3 CC-1 CC-2",
    .plan = concat_operator::plan,
    .check_attributes = check_flat,
};

}  // namespace tensorop
