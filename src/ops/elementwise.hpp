// Shared by all element-wise operators: attributes, rows of the version tables, and everything except the
// arithmetic, which is a functor of the kernels. Source: docs/ops/elementwise.md, docs/broadcasting.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/elements/binary_kernel.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/call.hpp"
#include "ops/published_types.hpp"

namespace tensorop {

// Traits of versions.
inline constexpr Trait kIdenticalShapes{"the operands have equal shapes (BC-N1)"};
inline constexpr Trait kTruncates{"the remainder has the sign of the dividend, without an attribute"};
inline constexpr Trait kByteTruth{"truth values are uint8: any but 0 is true, results are 0 and 1"};
inline constexpr Trait kLogicalShift{"a right shift fills with zeros, for signed integers too"};
inline constexpr Trait kFloatFloorMod{"floats too may have the remainder with the sign of the divisor"};
inline constexpr Trait kAnyShift{
    "a shift by a negative amount gives the result of a shift by at least the width: 0, or -1 for a negative "
    "value to the right"};
inline constexpr Trait kKeepsZero{"a remainder of zero has the sign of the dividend"};
inline constexpr Trait kPowOfZero{"an integer zero to a negative power is 0"};
inline constexpr Trait kNaturalPow{"integers have no negative powers (EW-8)"};
inline constexpr Trait kNanUnordered{
    "a complex number with a NaN is neither less nor greater, and is the minimum and the maximum"};
inline constexpr Trait kConjugates{"the square of a complex number is its product with its conjugate"};

// StableHLO's binary operators, which do not broadcast.
[[nodiscard]] constexpr Version stablehlo_version(std::string_view published, DTypeSet types,
                                                  Traits traits = {}, DTypeSet missing = published::kSmall) {
  return {Framework::stablehlo,
          release(0, 9),
          published,
          TypeRows({{"T", types, missing}}),
          {},
          {.traits = kIdenticalShapes | traits, .operands = 2}};
}

// The broadcasting rule of a call. `legacy` is the rule of ONNX opsets 1-6.
enum class BroadcastRule : std::uint8_t { numpy, pdpd, none, legacy };

inline constexpr Choice kAutoBroadcastChoices[] = {
    {"numpy", BroadcastRule::numpy}, {"pdpd", BroadcastRule::pdpd}, {"none", BroadcastRule::none}};
inline constexpr AttributeSpec kAutoBroadcastSpec = {
    "auto_broadcast",
    AttributeKind::choice,
    "numpy",
    "broadcasting rule: numpy (two-way, unlike in broadcast --mode), pdpd (b inside a, from --axis on) or "
    "none (equal shapes)",
    "EW-3",
    kAutoBroadcastChoices};
inline constexpr AttributeSpec kAxisSpec = {"axis", AttributeKind::integer, "-1",
                                            "auto_broadcast pdpd and broadcast 1: the dimension of a where b "
                                            "begins; without it: aligned on the right"};
// The attribute `broadcast` of ONNX opsets 1-6.
enum class LegacyBroadcast : std::uint8_t { off, on };
inline constexpr Choice kLegacyChoices[] = {{"0", LegacyBroadcast::off}, {"1", LegacyBroadcast::on}};
inline constexpr AttributeSpec kBroadcastSpec = {
    "broadcast", AttributeKind::choice,
    "",          "the rule of ONNX opsets 1-6: 1 broadcasts b to a, 0 requires equal shapes",
    "BC-L1",     kLegacyChoices};
inline constexpr AttributeSpec kConsumedInputsSpec = {"consumed_inputs", AttributeKind::integers, "",
                                                      "attribute of ONNX opset 1; ignored"};

// The attributes of a binary operator. The tables of all other operators of this family begin with these, or
// with all but the last, so that the keys below are valid for them too.
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
inline constexpr WordList kNoPdpd = "numpy none";
inline constexpr AttributeRow kOpenvinoNoPdpd[] = {{"auto_broadcast", kNoPdpd}};
inline constexpr AttributeRow kLegacyAttributes[] = {{"broadcast", {}, "0"}, {"axis"}};
inline constexpr AttributeRow kConsumingAttributes[] = {
    {"broadcast", {}, "0"}, {"axis"}, {"consumed_inputs"}};

// The dtypes of the default semantics.
inline constexpr DTypeSet kStandardOrdered = {kNumericTypes, DType::boolean};

// The names of an operator at each publisher. JAX has NumPy's. Empty: the operator's family has no version.
struct ElementwiseNames {
  std::string_view onnx, openvino, stablehlo, webnn, torch, numpy;
};

inline constexpr DTypeSet kBool = DType::boolean;
inline constexpr DTypeSet kComplexAndSmall = {published::kComplex, published::kSmall};

// An operator of PyTorch, NumPy or JAX: dtypes, dtypes that tensorop does not compute, and traits.
struct LibraryRow {
  DTypeSet types;
  DTypeSet missing = {};
  Traits traits = {};
  std::string_view missing_rule = {};
};
struct LibraryRows {
  LibraryRow torch;
  LibraryRow numpy;
  LibraryRow jax;
};

// Adds the versions of the three libraries to `others`. JAX has the names of NumPy.
template <std::size_t kCount>
[[nodiscard]] constexpr std::array<Version, kCount + 3> and_libraries(
    const std::array<Version, kCount>& others, std::string_view torch, std::string_view numpy,
    const LibraryRows& rows, std::uint8_t operands = 0) {
  std::array<Version, kCount + 3> out{};
  auto end = std::ranges::copy(others, out.begin()).out;
  const auto add = [&](Framework framework, int since, std::string_view name, const LibraryRow& row) {
    Version version{
        framework,
        since,
        name,
        TypeRows({{"T", row.types, row.missing}}),
        {},
        {.traits = row.traits, .operands = operands, .missing_rule = row.missing_rule, .converts = true}};
    const auto at = std::ranges::upper_bound(out.begin(), end, version.framework, {}, &Version::framework);
    std::ranges::move_backward(at, end, end + 1);
    *at = version;
    ++end;
  };
  add(Framework::torch, 2, torch, rows.torch);
  add(Framework::numpy, 2, numpy, rows.numpy);
  add(Framework::jax, 0, numpy, rows.jax);
  return out;
}

// Adds the version of TensorFlow to `others`: binary operators, which convert no operand.
template <std::size_t kCount>
[[nodiscard]] constexpr std::array<Version, kCount + 1> and_tensorflow(
    const std::array<Version, kCount>& others, std::string_view name, DTypeSet types, DTypeSet missing = {},
    Traits traits = {}) {
  std::array<Version, kCount + 1> out{};
  std::ranges::copy(others, out.begin());
  out.back() = {Framework::tensorflow,
                2,
                name,
                TypeRows({{"T", types, missing}}),
                {},
                {.traits = traits, .operands = 2}};
  return out;
}

// The result's shape and the strides of each operand within it.
struct BroadcastLayout {
  Shape shape;
  std::vector<BroadcastStrides> strides;
};

// The layout of operands that are all aligned on the right.
[[nodiscard]] BroadcastLayout right_aligned(const Call& call, Shape shape);

// The rule of a call: the choice of auto_broadcast; legacy if `broadcast` is on; none in versions without
// broadcasting.
[[nodiscard]] BroadcastRule broadcast_rule(const Call& call);

// The shape of operand `i` with its name in messages.
[[nodiscard]] NamedShape named_shape(const Call& call, std::size_t i);

// Throws Error [G-8] for an axis with a rule that has none, and for two rules at once.
void check_broadcast_attributes(const Call& call);

// Throws Error with the violated rule of BC-M, BC-N, BC-L or BC-P.
[[nodiscard]] BroadcastLayout broadcast_layout(const Call& call);

// The only rows for open elements: integers wrap on overflow at every publisher, and an integer divided by
// zero has no result.
inline constexpr OpenRow kExtremeOpen[] = {{Framework::onnx, OpenReason::nan_or_zeros},
                                           {Framework::openvino, OpenReason::nan_or_zeros},
                                           {Framework::torch, OpenReason::zeros_in_extreme},
                                           {Framework::numpy, OpenReason::zeros_in_extreme},
                                           {Framework::tensorflow, OpenReason::nan_or_zeros}};
inline constexpr OpenRow kDivideOpen[] = {{Framework::openvino, OpenReason::zero_divisor}};
inline constexpr OpenRow kRemainderOpen[] = {{Framework::onnx, OpenReason::zero_divisor},
                                             {Framework::openvino, OpenReason::zero_divisor}};
inline constexpr OpenRow kShiftOpen[] = {
    {Framework::onnx, OpenReason::wide_shift, 28},
    {Framework::tensorflow, OpenReason::wide_shift},
    {.framework = Framework::openvino,
     .reason = OpenReason::wide_or_overflow,
     .published = "BitwiseLeftShift"},
    {.framework = Framework::openvino, .reason = OpenReason::wide_shift, .published = "BitwiseRightShift"}};

// Folds more than two operands from the left; copies a single operand.
[[nodiscard]] Planned plan_elementwise(const Call& call, BinaryKernel kernel);

// Returns the kernel for the dtypes and attributes of a call.
using KernelChoice = BinaryKernel (*)(const Call& call);

template <class Op>
[[nodiscard]] BinaryKernel kernel_of(const Call& call) {
  return find_kernel<Op>(call.operands[0].dtype(), call.operands.back().dtype());
}

// The kernel of a comparison such as Less. The order of complex numbers depends on the version.
template <class Order>
[[nodiscard]] BinaryKernel kernel_of_order(const Call& call) {
  const bool is_complex = kComplexTypes.contains(call.operands[0].dtype());
  return is_complex && call.has_trait(kNanUnordered) ? kernel_of<WithoutNan<Order>>(call)
                                                     : kernel_of<Order>(call);
}

// The kernel of `Op`, Min or Max. For complex numbers it selects the operand that meets a comparison: `Order`
// is Less for Min and Greater for Max, `OrderOrEqual` is LessOrEqual or GreaterOrEqual.
template <class Op, class Order, class OrderOrEqual>
[[nodiscard]] BinaryKernel kernel_of_extreme(const Call& call) {
  if (!kComplexTypes.contains(call.operands[0].dtype())) return kernel_of<Op>(call);
  return call.has_trait(kNanUnordered) ? kernel_of<FirstIfOrNan<OrderOrEqual>>(call)
                                       : kernel_of<FirstIf<Order>>(call);
}

// The kernel of a logical operator, which tests whether elements of any dtype are true.
template <class Op, class OpOfNumbers>
[[nodiscard]] BinaryKernel kernel_of_truth(const Call& call) {
  const bool is_byte = element_size(call.operands[0].dtype()) == 1;
  return is_byte ? find_kernel<Op>(DType::boolean, DType::boolean) : kernel_of<OpOfNumbers>(call);
}

inline constexpr PublishedNames kBinaryNames[] = {{Framework::onnx, "A B", "C"},
                                                  {Framework::stablehlo, "lhs rhs"}};
// The names of the operands of Pow and BitShift.
inline constexpr PublishedNames kPowerNames[] = {{Framework::onnx, "X Y", "Z"},
                                                 {Framework::stablehlo, "lhs rhs"}};

// The parts of an operator's description that differ within the family.
struct ElementwiseDescription {
  std::string_view name;
  std::string_view sign;
  std::string_view summary;
  std::string_view meaning;
  std::string_view example;
  std::span<const OperatorName> names;
  std::span<const Version> versions;
  std::span<const AttributeSpec> attributes;
  std::span<const OperandSpec> operands;
  WordList rules = {};
  std::span<const OpenRow> open = {};  // one reason for each version
  std::span<const PublishedNames> published_names = kBinaryNames;
  bool is_inexact = false;
};

inline constexpr std::string_view kElementwiseShape =
    "the shape that the operands broadcast to; with pdpd and --broadcast 1 the shape of a";
inline constexpr WordList kElementwiseBroadcastRules =
    "BC-M1 BC-N1 BC-P1 BC-P2 BC-P3 BC-P4 BC-L3 BC-L5 BC-L6";

template <KernelChoice kChoice>
[[nodiscard]] consteval Operator elementwise_operator(const ElementwiseDescription& description) {
  if (!begins_like_binary(description.attributes))
    throw "the keys of kBinaryAttributes do not fit this table";
  return {
      .name = description.name,
      .summary = description.summary,
      .meaning = description.meaning,
      .output_shape = kElementwiseShape,
      .example = description.example,
      .family = "elementwise",
      .shapes = ShapeKind::broadcast,
      .is_inexact = description.is_inexact,
      .names = description.names,
      .operands = description.operands,
      .attributes = description.attributes,
      .versions = description.versions,
      .open = description.open,
      .sign = description.sign,
      .published_names = description.published_names,
      .count_rule = "EW-1",
      .rules = description.rules,
      .broadcast_rules = kElementwiseBroadcastRules,
      .plan = [](const Call& call) { return plan_elementwise(call, kChoice(call)); },
      .check_attributes = check_broadcast_attributes,
  };
}

inline constexpr OperandSpec kBinaryOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the first operand"},
    {"b", "T", OperandRole::data, "T-1", "the second operand, of a's dtype"},
};
}  // namespace tensorop
