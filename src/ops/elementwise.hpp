// What all element-wise operators share: attributes, rows of the version tables, and everything but the
// arithmetic, which a functor of the kernels gives. Source: sections 2 and 6.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/binary_kernel.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/call.hpp"
#include "ops/published_types.hpp"

namespace tensorop {

// Traits of versions.
inline constexpr unsigned kIdenticalShapes = 1;  // BC-N without an attribute that says so
inline constexpr unsigned kTruncates = 2;        // Mod-1: the truncated remainder without an attribute

// How shapes of operands must agree. `legacy` is the rule of ONNX opsets 1-6.
enum class BroadcastRule : std::uint8_t { numpy, pdpd, none, legacy };

inline constexpr Choice kAutoBroadcastChoices[] = {
    {"numpy", BroadcastRule::numpy}, {"pdpd", BroadcastRule::pdpd}, {"none", BroadcastRule::none}};
inline constexpr AttributeSpec kAutoBroadcastSpec = {
    "auto_broadcast", AttributeKind::choice,
    "numpy",          kAutoBroadcastChoices,
    "EW-3",           "how shapes go together: aligned on the right, b within a, or not at all"};
inline constexpr AttributeSpec kAxisSpec = {
    "axis",
    AttributeKind::integer,
    "-1",
    {},
    kCallRule,
    "auto_broadcast pdpd and broadcast 1: the dimension of a where b begins; without it b ends where a does"};
// The attribute `broadcast` of ONNX opsets 1-6.
enum class LegacyBroadcast : std::uint8_t { off, on };
inline constexpr Choice kLegacyChoices[] = {{"0", LegacyBroadcast::off}, {"1", LegacyBroadcast::on}};
inline constexpr AttributeSpec kBroadcastSpec = {
    "broadcast", AttributeKind::choice,
    "",          kLegacyChoices,
    "BC-L1",     "the rule of ONNX opsets 1-6: 1 lets b repeat within a, 0 asks for identical shapes"};
inline constexpr AttributeSpec kConsumedInputsSpec = {
    "consumed_inputs", AttributeKind::integers, "", {}, kCallRule, "of ONNX opset 1, without effect"};

// The attributes of a binary operator. Those of any other operator of this family begin with these, or end
// before the last: then the keys below are theirs too.
inline constexpr AttributeSpec kBinaryAttributes[] = {kAutoBroadcastSpec, kAxisSpec, kBroadcastSpec};
inline constexpr auto kAutoBroadcastKey = attribute_key<BroadcastRule>(kBinaryAttributes, "auto_broadcast");
inline constexpr auto kAxisKey = attribute_key<std::int64_t>(kBinaryAttributes, "axis");
inline constexpr auto kBroadcastKey = attribute_key<LegacyBroadcast>(kBinaryAttributes, "broadcast");

[[nodiscard]] constexpr bool begins_like_binary(std::span<const AttributeSpec> table) {
  for (std::size_t i = 0; i < std::min(table.size(), std::size(kBinaryAttributes)); ++i) {
    if (table[i].name != kBinaryAttributes[i].name) return false;
  }
  return true;
}

inline constexpr AttributeRow kStandardAttributes[] = {{"auto_broadcast"}, {"axis"}, {"broadcast"}};
inline constexpr AttributeRow kOpenvinoAttributes[] = {{"auto_broadcast"}, {"axis"}};
inline constexpr std::string_view kNoPdpd[] = {"numpy", "none"};
inline constexpr AttributeRow kOpenvinoNoPdpd[] = {{"auto_broadcast", kNoPdpd}};
inline constexpr AttributeRow kLegacyAttributes[] = {{"broadcast", {}, "0"}, {"axis"}};
inline constexpr AttributeRow kConsumingAttributes[] = {
    {"broadcast", {}, "0"}, {"axis"}, {"consumed_inputs"}};

// The dtypes of the default semantics.
inline constexpr TypeRow kStandardNumbers[] = {{"T", kNumericTypes}};
inline constexpr TypeRow kStandardOrdered[] = {{"T", {kNumericTypes, DType::boolean}}};
inline constexpr TypeRow kStandardBool[] = {{"T", DType::boolean}};

// The result's shape and how each operand lies within it.
struct BroadcastLayout {
  Shape shape;
  std::vector<BroadcastStrides> strides;
};

// The rule of a call: the choice of auto_broadcast, legacy where `broadcast` holds, none where the version
// says so.
[[nodiscard]] BroadcastRule broadcast_rule(const Call& call);

// Operand `i` under its name in messages.
[[nodiscard]] NamedShape named_shape(const Call& call, std::size_t i);

// G-8: an axis for a rule that has none, two rules at once.
void check_broadcast_attributes(const Call& call);

// Throws Error with the violated rule of BC-M, BC-N, BC-L or BC-P.
[[nodiscard]] BroadcastLayout broadcast_layout(const Call& call);

// More than two operands are folded from the left, one is copied.
[[nodiscard]] Planned plan_elementwise(const Call& call, const BinaryKernel& kernel);

// What an operator computes: a kernel, by the dtypes and attributes of a call.
using KernelChoice = BinaryKernel (*)(const Call& call);

template <class Op>
[[nodiscard]] BinaryKernel kernel_of(const Call& call) {
  return find_kernel<Op>(call.operands[0].dtype(), call.operands.back().dtype());
}

// The rest of an operator's description.
struct ElementwiseDescription {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  std::span<const OperatorName> names;
  std::span<const Version> versions;
  std::span<const AttributeSpec> attributes;
  std::span<const OperandSpec> operands;
};

template <KernelChoice kChoice>
[[nodiscard]] consteval Operator elementwise_operator(const ElementwiseDescription& description) {
  if (!begins_like_binary(description.attributes))
    throw "the keys of kBinaryAttributes do not fit this table";
  return {
      .name = description.name,
      .summary = description.summary,
      .example = description.example,
      .family = "elementwise",
      .names = description.names,
      .operands = description.operands,
      .attributes = description.attributes,
      .versions = description.versions,
      .oob = {},
      .count_rule = "EW-1",
      .plan = [](const Call& call) { return plan_elementwise(call, kChoice(call)); },
      .check_attributes = check_broadcast_attributes,
  };
}

inline constexpr OperandSpec kBinaryOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the first operand"},
    {"b", "T", OperandRole::data, "T-1", "the second operand, of a's dtype"},
};
}  // namespace tensorop
