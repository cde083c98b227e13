// PRelu: the only element-wise operator that broadcasts only its second operand. Its versions differ in how.
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/elements/element_plans.hpp"
#include "ops/elementwise.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace prelu_operator {
namespace {

constexpr Trait kOldSlopes{"b has one element, the shape of a, or one element for each channel (PR-1)"};
constexpr Trait kChannelsFirst{"a vector b with one element for each channel goes along dimension 1"};
constexpr Trait kBothWays{"the operands are broadcast to each other (BC-M1)"};

constexpr OperandSpec kOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the values"},
    {"b", "T", OperandRole::data, "T-1", "the slopes of negative values, of a's dtype"},
};
constexpr AttributeSpec kAttributes[] = {kConsumedInputsSpec};
constexpr AttributeRow kConsumed[] = {{"consumed_inputs"}};

constexpr DTypeSet kOnnx9 = {published::kOldFloats, DType::int32, DType::int64, DType::uint32, DType::uint64};
constexpr DTypeSet kOnnx16 = {published::kFloats, DType::int32, DType::int64, DType::uint32, DType::uint64};
constexpr DTypeSet kWebnn = {DType::float32, DType::float16, DType::int32, DType::int64, DType::int8};
constexpr auto kVersions = and_mdf(std::to_array<Version>({
    {Framework::standard, 0, "PRelu", kNumericTypes, {}},
    {Framework::onnx, 1, "PRelu", published::kConsumingTypes, kConsumed, {.traits = kOldSlopes}},
    {Framework::onnx, 6, "PRelu", published::kOldFloats, {}, {.traits = kOldSlopes}},
    {Framework::onnx, 7, "PRelu", published::kOldFloats, {}},
    {Framework::onnx, 9, "PRelu", kOnnx9, {}},
    {Framework::onnx, 16, "PRelu", kOnnx16, {}},
    {Framework::openvino, 1, "PReLU", published::kFloats, {}, {.traits = kChannelsFirst}},
    {Framework::webnn, 0, "prelu", kWebnn, {}, {.traits = kBothWays}},
}));

BroadcastStrides slope_strides(const Call& call, const NamedShape& a, const NamedShape& b) {
  const bool by_channel = b.shape.size() == 1 && a.shape.size() > 1 && b.shape[0] == a.shape[1];
  if (by_channel && (call.has_trait(kChannelsFirst) || call.has_trait(kOldSlopes)))
    return strides_at(b.shape, a.shape, {1});
  if (!call.has_trait(kOldSlopes)) {
    require_unidirectional(b, a);
  } else if (element_count(b.shape) == 1) {
    return BroadcastStrides(a.shape.size(), 0);
  } else if (b.shape != a.shape) {
    const std::string channels = a.shape.size() > 1 ? cat(", (", a.shape[1], ")") : "";
    throw Error(cat("b ", to_string(b.shape), " must have one element or one of the shapes ",
                    to_string(a.shape), channels),
                "PR-1");
  }
  return strides_right_aligned(b.shape, a.shape);
}

BroadcastLayout layout_of(const Call& call) {
  const NamedShape a = named_shape(call, 0);
  const NamedShape b = named_shape(call, 1);
  if (call.has_trait(kBothWays)) return right_aligned(call, merge_shapes({a, b}, "BC-M1"));
  BroadcastLayout layout{a.shape, {strides_right_aligned(a.shape, a.shape)}};
  layout.strides.push_back(slope_strides(call, a, b));
  return layout;
}

Planned plan(const Call& call) {
  const BinaryKernel kernel = kernel_of<Prelu>(call);
  BroadcastLayout layout = layout_of(call);
  OutputInfo output = checked_output(kernel.result, std::move(layout.shape));
  auto binary =
      binary_plan({call.operands, std::move(layout.strides), output.shape, kernel, OpenReason::none});
  return {std::move(output), std::move(binary)};
}

constexpr OperatorName kNames[] = {{"prelu"}};
constexpr PublishedNames kPublishedNames[] = {{Framework::onnx, "X slope", "Y"},
                                              {Framework::openvino, "data slope"}};

}  // namespace
}  // namespace prelu_operator

constinit const Operator kPrelu = {
    .name = "prelu",
    .summary = "The values of a, the negative ones multiplied by the slopes of b",
    .meaning =
        "a where it is not negative, b * a where it is; NaN stays NaN, and integers wrap. Only b is "
        "broadcast: "
        "to the shape of a, aligned on the right. In OpenVINO as many slopes as a has channels go along "
        "dimension 1.",
    .output_shape = "a.shape",
    .example = "tensorop prelu '[[-1.0,2.0],[-3.0,-4.0]]' '[10,100]'",
    .family = "elementwise",
    .shapes = ShapeKind::broadcast_channels,
    .names = prelu_operator::kNames,
    .operands = prelu_operator::kOperands,
    .attributes = prelu_operator::kAttributes,
    .versions = prelu_operator::kVersions,
    .published_names = prelu_operator::kPublishedNames,
    .rules = "PR-1 BC-U1 BC-U2 BC-M1",
    .plan = prelu_operator::plan,
};

}  // namespace tensorop
