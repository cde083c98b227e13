// Where and Select: from two tensors, element by element, the one a condition says. Source: sections 5.3 and
// 5.4 (WH-1, WH-2, SL-1 ... SL-3).
#include <memory>

#include "base/checked.hpp"
#include "ops/common.hpp"
#include "ops/elementwise.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

constexpr unsigned kOneWayCondition = 4;  // the condition does not stretch the result

constexpr OperandSpec kOperands[] = {
    {"condition", "B", OperandRole::condition, "bool: which of the two to take"},
    {"x", "T", OperandRole::data, "taken where the condition is true"},
    {"y", "T", OperandRole::data, "taken where it is false; of x's dtype"},
};

constexpr AttributeSpec kAttributes[] = {
    {"auto_broadcast", AttributeKind::choice, "numpy", "numpy|pdpd|none", "EW-3",
     "how shapes go together: aligned on the right, y and the condition within x, or not at all"},
    {"axis", AttributeKind::integer, "-1", "", "",
     "auto_broadcast pdpd: the dimension of x where y and the condition begin; -1: each ends where x does"},
};

constexpr TypeRow kOnnx9[] = {{"B", DType::boolean}, {"T", kAllButBfloat16}};
constexpr TypeRow kAll[] = {{"B", DType::boolean}, {"T", kAllTypes}};
constexpr TypeRow kNumeric[] = {{"B", DType::boolean}, {"T", kNumericTypes}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "Where", kAll, kOpenvinoAttributes},
    {Framework::onnx, 9, "Where", kOnnx9, {}},
    {Framework::onnx, 16, "Where", kAll, {}},
    {Framework::openvino, 1, "Select", kNumeric, kOpenvinoAttributes, {}, kOneWayCondition},
};

BroadcastLayout right_aligned(const Call& call, Shape shape) {
  BroadcastLayout layout{std::move(shape), {}};
  for (const Tensor& operand : call.operands) {
    layout.strides.push_back(strides_right_aligned(operand.shape(), layout.shape));
  }
  return layout;
}

BroadcastLayout layout_of(const Call& call) {
  const NamedShape condition = named_shape(call, 0);
  const NamedShape x = named_shape(call, 1);
  const NamedShape y = named_shape(call, 2);
  const std::string rule = broadcast_rule(call);
  if (rule == "none") {
    require_identical({condition, x, y}, "SL-1");
    return right_aligned(call, x.shape);
  }
  if (rule == "pdpd") {
    // Both onto x, each with the default axis of its own rank.
    const std::int64_t axis = call.is_given("axis") ? call.integer("axis") : -1;
    const auto y_axes = pdpd_axes(x, y, axis);
    const auto condition_axes = pdpd_axes(x, condition, axis);
    return {x.shape,
            {strides_at(condition.shape, x.shape, condition_axes), strides_right_aligned(x.shape, x.shape),
             strides_at(y.shape, x.shape, y_axes)}};
  }
  if (!call.has_trait(kOneWayCondition)) return right_aligned(call, merge_shapes({condition, x, y}, "WH-2"));
  Shape shape = merge_shapes({x, y}, "SL-2");
  require_unidirectional(condition, {"the result", shape}, "SL-2");
  return right_aligned(call, std::move(shape));
}

OutputInfo infer(const Call& call) {
  return {call.operands[1].dtype(), layout_of(call).shape};
}

Plan plan(const Call& call, const OutputInfo& output) {
  const BroadcastLayout layout = layout_of(call);
  std::vector<RunWalk::Operand> operands;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor& operand = call.operands[i];
    operands.push_back({operand.data(), element_size(operand.dtype()), layout.strides[i]});
  }
  const int width = element_size(output.dtype);
  const auto walk = std::make_shared<const RunWalk>(output.shape, std::move(operands));
  Plan plan;
  plan.fill = [walk, width, owners = call.operands, select = find_select(width)](
                  std::int64_t first, std::int64_t count, std::byte* out) {
    walk->for_each_run(first, count, [&](const RunOperand* run, std::int64_t n) {
      select({run[0].data, run[0].stride, run[1].data, run[1].stride, run[2].data, run[2].stride}, out, n);
      out += n * width;
    });
  };
  return plan;
}

constexpr OperatorName kNames[] = {{"where", "Where"}, {"select", "Select"}};

}  // namespace

constinit const Operator kWhere = {
    .name = "where",
    .summary = "Takes each element from x or from y, as a condition says",
    .example = "tensorop where '[[true,false],[true,true]]' '[[1,2],[3,4]]' '[9,8]'",
    .family = "where",
    .names = kNames,
    .operands = kOperands,
    .attributes = kAttributes,
    .versions = kVersions,
    .oob = {},
    .infer = infer,
    .plan = plan,
    .check_attributes = check_broadcast_attributes,
};

}  // namespace tensorop
