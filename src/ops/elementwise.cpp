// Element-wise operators: the broadcasting rule of a call, and its plan.
#include "ops/elementwise.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/elements/element_plans.hpp"

namespace tensorop {

BroadcastRule broadcast_rule(const Call& call) {
  const bool has_auto = call.has(kAutoBroadcastKey);
  if (call.has(kBroadcastKey) && (!has_auto || call.is_given(kBroadcastKey))) return BroadcastRule::legacy;
  if (has_auto) return call.get(kAutoBroadcastKey);
  return call.has_trait(kIdenticalShapes) ? BroadcastRule::none : BroadcastRule::numpy;
}

NamedShape named_shape(const Call& call, std::size_t i) {
  return {call.operand_label(i), call.operands[i].shape()};
}

void check_broadcast_attributes(const Call& call) {
  const BroadcastRule rule = broadcast_rule(call);
  if (rule == BroadcastRule::legacy && call.is_given(kAutoBroadcastKey)) {
    throw Error("broadcast and auto_broadcast cannot be combined", kCallRule);
  }
  if (!call.is_given(kAxisKey) || rule == BroadcastRule::legacy || rule == BroadcastRule::pdpd) return;
  throw Error(
      cat("axis is only allowed with auto_broadcast pdpd", call.has(kBroadcastKey) ? " or broadcast 1" : "",
          ", not with ", rule == BroadcastRule::none ? "none" : "numpy"),
      kCallRule);
}

namespace {

BroadcastStrides own_strides(const Shape& shape) {
  return strides_right_aligned(shape, shape);
}

// Unidirectional: each further operand is broadcast to the first one.
BroadcastLayout within_first(const Call& call, BroadcastRule rule) {
  const NamedShape a = named_shape(call, 0);
  BroadcastLayout layout{a.shape, {own_strides(a.shape)}};
  const std::optional<std::int64_t> axis =
      call.is_given(kAxisKey) ? std::optional(call.get(kAxisKey)) : std::nullopt;
  for (std::size_t i = 1; i < call.operands.size(); ++i) {
    const NamedShape b = named_shape(call, i);
    const auto axes =
        rule == BroadcastRule::pdpd ? pdpd_axes(a, b, axis.value_or(-1)) : legacy_axes(a, b, axis);
    layout.strides.push_back(strides_at(b.shape, a.shape, axes));
  }
  return layout;
}

OpenReason open_reason(const Call& call) {
  const auto row =
      std::ranges::find_if(call.op->open, [&](const OpenRow& one) { return one.concerns(*call.version); });
  return row == call.op->open.end() ? OpenReason::none : row->reason;
}

}  // namespace

BroadcastLayout broadcast_layout(const Call& call) {
  const BroadcastRule rule = broadcast_rule(call);
  const bool is_legacy = rule == BroadcastRule::legacy;
  const bool off = is_legacy && call.get(kBroadcastKey) == LegacyBroadcast::off;
  if (rule == BroadcastRule::pdpd || (is_legacy && !off)) return within_first(call, rule);
  std::vector<NamedShape> shapes;
  for (std::size_t i = 0; i < call.operands.size(); ++i) shapes.push_back(named_shape(call, i));
  if (off || rule == BroadcastRule::none)
    require_identical(shapes, "BC-N1", off ? "broadcast 1 broadcasts b to a" : "");
  return right_aligned(call, merge_shapes(shapes));
}

BroadcastLayout right_aligned(const Call& call, Shape shape) {
  BroadcastLayout layout{std::move(shape), {}};
  for (const Tensor& operand : call.operands) {
    layout.strides.push_back(strides_right_aligned(operand.shape(), layout.shape));
  }
  return layout;
}

Planned plan_elementwise(const Call& call, BinaryKernel kernel) {
  if (call.has_trait(kByteTruth)) kernel.result = DType::uint8;
  BroadcastLayout layout = broadcast_layout(call);
  OutputInfo output = checked_output(kernel.result, std::move(layout.shape));
  auto plan =
      call.operands.size() == 1
          ? copy_plan(call.operands[0])
          : binary_plan({call.operands, std::move(layout.strides), output.shape, kernel, open_reason(call)});
  return {std::move(output), std::move(plan)};
}

}  // namespace tensorop
