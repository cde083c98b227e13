// Arithmetic on two tensors, and min and max of any number of them: the version tables of 6.2, 6.3 and 7.1.
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/elementwise.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

constexpr DTypeSet kWideIntegers = {DType::int32, DType::int64, DType::uint32, DType::uint64};
constexpr TypeRow kOnnx6Types[] = {{"T", {kWideIntegers, published::kOldFloats}}};
constexpr TypeRow kOnnx13Types[] = {{"T", {kWideIntegers, published::kFloats}}};
constexpr TypeRow kStablehloNumbers[] = {{"T", {published::kNumbers, DType::complex64, DType::complex128}}};
constexpr TypeRow kStandardComplexToo[] = {{"T", kNumericTypes | kComplexTypes}};

constexpr AttributeSpec kConsumingSpecs[] = {kAutoBroadcastSpec, kAxisSpec, kBroadcastSpec,
                                             kConsumedInputsSpec};

constexpr std::string_view kDivisionRules[] = {"EW-7"};

using Attributes = std::span<const AttributeRow>;

constexpr LibraryTypes kLibraryNumbers = {published::kTorchNumberAndComplexRow,
                                          published::kOldNumberAndComplexRow,
                                          published::kNumberAndComplexRow};
constexpr LibraryTypes kLibraryQuotients = {published::kFloatAndComplexRow, published::kOldFloatAndComplexRow,
                                            published::kFloatAndComplexRow};
constexpr LibraryTypes kLibraryIntegers = {published::kTorchIntegerRow, published::kIntegerRow,
                                           published::kIntegerRow};
constexpr LibraryTypes kLibraryReals = {published::kTorchNumberRow, published::kOldNumberRow,
                                        published::kNumberRow};
// NumPy refuses integers to negative powers.
constexpr LibraryTypes kLibraryPowers = {published::kTorchNumberRow, published::kOldFloatRow,
                                         published::kFloatRow};
// The sign of a remainder of zero is another one in PyTorch.
constexpr LibraryTypes kLibraryRemainders = {published::kTorchIntegerRow, published::kOldNumberRow,
                                             published::kNumberRow};

// Add, Sub, Mul, Div by the names ONNX, OpenVINO, StableHLO and WebNN give them.
constexpr std::array<Version, 9> versions(std::string_view onnx, std::string_view openvino,
                                          std::string_view stablehlo,
                                          std::span<const TypeRow> stablehlo_types, std::string_view webnn,
                                          Attributes standard = kStandardAttributes,
                                          Attributes openvino_attributes = kOpenvinoAttributes) {
  return {{
      {Framework::standard, 0, onnx, kStandardComplexToo, standard},
      {Framework::onnx, 1, onnx, published::kConsumingRow, kConsumingAttributes},
      {Framework::onnx, 6, onnx, kOnnx6Types, kLegacyAttributes},
      {Framework::onnx, 7, onnx, kOnnx6Types, {}},
      {Framework::onnx, 13, onnx, kOnnx13Types, {}},
      {Framework::onnx, 14, onnx, published::kNumberRow, {}},
      {Framework::openvino, 1, openvino, published::kNumberRow, openvino_attributes},
      stablehlo_version(stablehlo, stablehlo_types),
      {Framework::webnn, 0, webnn, published::kWebnnRow, {}},
  }};
}

namespace div {

constexpr AttributeSpec kAttributes[] = {
    kAutoBroadcastSpec,
    kAxisSpec,
    kBroadcastSpec,
    kConsumedInputsSpec,
    {"pythondiv", AttributeKind::flag, "false", "round the quotient of integers down, not towards zero"},
};
constexpr AttributeRow kStandard[] = {{"auto_broadcast"}, {"axis"}, {"broadcast"}, {"pythondiv"}};
constexpr AttributeRow kOpenvino[] = {{"auto_broadcast"}, {"axis"}, {"pythondiv", {}, "true"}};
constexpr auto kVersions = and_libraries(
    and_libraries(versions("Div", "Divide", "divide", kStablehloNumbers, "div", kStandard, kOpenvino), "div",
                  "divide", kLibraryQuotients),
    "floor_divide", "floor_divide", kLibraryIntegers);
constexpr auto kPythonDivKey = attribute_key<bool>(kAttributes, "pythondiv");
constexpr std::string_view kDivide[] = {"Divide"};
constexpr std::string_view kEither[] = {"Div", "Divide", "div", "divide"};
constexpr std::string_view kLibraryDivide[] = {"divide"};
constexpr std::string_view kFloorDivide[] = {"floor_divide"};
constexpr OperatorName::Preset kFloors = {"pythondiv", "true"};
constexpr OperatorName kNames[] = {
    {"div", kEither},
    {"divide", kDivide, kFloors},
    {"divide", kLibraryDivide, {}, Framework::stablehlo},
    {"divide", kLibraryDivide, {}, Framework::numpy},
    {"divide", kLibraryDivide, {}, Framework::jax},
    {"floordivide", kFloorDivide, kFloors, Framework::torch},
    {"floordivide", kFloorDivide, kFloors, Framework::numpy},
    {"floordivide", kFloorDivide, kFloors, Framework::jax},
};

BinaryKernel kernel(const Call& call) {
  return call.get(kPythonDivKey) ? kernel_of<FloorDiv>(call) : kernel_of<Div>(call);
}

}  // namespace div

namespace pow {

constexpr OperandSpec kOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the base"},
    {"b", "T1", OperandRole::data, "T-1",
     "the exponent, of any numeric dtype; in older versions of a's dtype"},
};
constexpr TypeRow kStandard[] = {{"T", kNumericTypes}, {"T1", kNumericTypes}};
constexpr TypeRow kOnnx12[] = {{"T", {published::kInt32Or64, published::kOldFloats}},
                               {"T1", published::kOldNumbers}};
constexpr TypeRow kOnnx13[] = {{"T", {published::kInt32Or64, published::kFloats}},
                               {"T1", published::kOldNumbers}};
constexpr TypeRow kOnnx15[] = {{"T", {published::kInt32Or64, published::kFloats}},
                               {"T1", published::kNumbers}};
constexpr auto kOthers = std::to_array<Version>({
    {Framework::standard, 0, "Pow", kStandard, kStandardAttributes},
    {Framework::onnx, 1, "Pow", published::kOldFloatRow, kLegacyAttributes},
    {Framework::onnx, 7, "Pow", published::kOldFloatRow, {}},
    {Framework::onnx, 12, "Pow", kOnnx12, {}},
    {Framework::onnx, 13, "Pow", kOnnx13, {}},
    {Framework::onnx, 15, "Pow", kOnnx15, {}},
    {Framework::openvino, 1, "Power", published::kNumberRow, kOpenvinoNoPdpd},
    stablehlo_version("power", published::kNumberRow),
    {Framework::webnn, 0, "pow", published::kWebnnRow, {}},
});
constexpr auto kVersions = and_libraries(kOthers, "pow", "power", kLibraryPowers);
constexpr OperatorName kNames[] = {{"pow"}, {"power"}};
constexpr std::string_view kRules[] = {"T-2", "EW-7", "EW-8"};

}  // namespace pow

namespace mod {

constexpr AttributeSpec kAttributes[] = {
    kAutoBroadcastSpec,
    kAxisSpec,
    kBroadcastSpec,
    {"fmod", AttributeKind::flag, "false", "the remainder has the sign of a instead of b", "EW-5"},
};
constexpr AttributeRow kStandard[] = {{"auto_broadcast"}, {"axis"}, {"broadcast"}, {"fmod"}};
constexpr auto kFmodKey = attribute_key<bool>(kAttributes, "fmod");
constexpr AttributeRow kFmod[] = {{"fmod"}};
constexpr auto kOthers = std::to_array<Version>({
    {Framework::standard, 0, "Mod", kStandardNumbers, kStandard},
    {Framework::onnx, 10, "Mod", published::kOldNumberRow, kFmod},
    {Framework::onnx, 13, "Mod", published::kNumberRow, kFmod},
    {Framework::openvino, 1, "Mod", published::kNumberRow, kOpenvinoNoPdpd, {}, kTruncates},
    stablehlo_version("remainder", published::kNumberRow, kTruncates),
});
constexpr auto kVersions = and_libraries(kOthers, "fmod", "fmod", kLibraryReals);
constexpr std::string_view kMod[] = {"Mod", "remainder"};
constexpr std::string_view kRemainder[] = {"remainder"};
constexpr std::string_view kFmodOnly[] = {"fmod"};
constexpr OperatorName::Preset kTruncated = {"fmod", "true"};
constexpr OperatorName kNames[] = {
    {"mod", kMod},
    {"remainder", kRemainder, {}, Framework::stablehlo},
    {"fmod", kFmodOnly, kTruncated, Framework::torch},
    {"fmod", kFmodOnly, kTruncated, Framework::numpy},
    {"fmod", kFmodOnly, kTruncated, Framework::jax},
};
constexpr std::string_view kRules[] = {"EW-4", "EW-7"};

BinaryKernel kernel(const Call& call) {
  const bool truncates = call.has_trait(kTruncates) || call.get(kFmodKey);
  if (!truncates && call.strict() && kFloatTypes.contains(call.operands[0].dtype())) {
    throw Error(cat("a is ", name(call.operands[0].dtype()), ", and ", call.version_name(),
                    " defines mod of floats only with fmod 1"),
                "EW-4");
  }
  return truncates ? kernel_of<Mod>(call) : kernel_of<FloorMod>(call);
}

}  // namespace mod

// Operators of OpenVINO only.
constexpr std::array<Version, 2> openvino_versions(std::string_view published,
                                                   std::span<const TypeRow> standard) {
  return {{
      {Framework::standard, 0, published, standard, kStandardAttributes},
      {Framework::openvino, 1, published, published::kNumberRow, kOpenvinoNoPdpd},
  }};
}

namespace extreme {

constexpr OperandSpec kOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the first operand"},
    {"b", "T", OperandRole::data, "T-1",
     "any number of further operands, of a's dtype; without them a is copied", true},
};

constexpr AttributeRow kConsumed[] = {{"consumed_inputs"}};

// `library`: the name at StableHLO, PyTorch, NumPy and JAX.
constexpr std::array<Version, 12> versions(std::string_view onnx, std::string_view openvino,
                                           std::string_view library, std::string_view webnn) {
  const std::array<Version, 9> others = {{
      {Framework::standard, 0, onnx, kStandardOrdered, kStandardAttributes},
      {Framework::onnx, 1, onnx, published::kConsumingRow, kConsumed, {}, kIdenticalShapes},
      {Framework::onnx, 6, onnx, published::kOldFloatRow, {}, {}, kIdenticalShapes},
      {Framework::onnx, 8, onnx, published::kOldFloatRow, {}},
      {Framework::onnx, 12, onnx, published::kOldNumberRow, {}},
      {Framework::onnx, 13, onnx, published::kNumberRow, {}},
      {.framework = Framework::openvino,
       .since = 1,
       .published = openvino,
       .types = published::kNumberRow,
       .attributes = kOpenvinoNoPdpd,
       .operands = 2},
      stablehlo_version(library, published::kNumberAndBoolRow),
      {.framework = Framework::webnn,
       .since = 0,
       .published = webnn,
       .types = published::kWebnnRow,
       .attributes = {},
       .operands = 2},
  }};
  return and_libraries(others, library, library, kLibraryOrdered, 2);
}

}  // namespace extreme

constexpr auto kAddVersions = and_libraries(versions("Add", "Add", "add", published::kStablehloRow, "add"),
                                            "add", "add", kLibraryNumbers);
constexpr auto kSubVersions = and_libraries(versions("Sub", "Subtract", "subtract", kStablehloNumbers, "sub"),
                                            "sub", "subtract", kLibraryNumbers);
constexpr auto kMulVersions =
    and_libraries(versions("Mul", "Multiply", "multiply", published::kStablehloRow, "mul"), "mul", "multiply",
                  kLibraryNumbers);
constexpr auto kFloorModVersions = and_libraries(openvino_versions("FloorMod", kStandardNumbers), "remainder",
                                                 "remainder", kLibraryRemainders);
constexpr auto kSquaredDifferenceVersions = openvino_versions("SquaredDifference", kStandardComplexToo);
constexpr auto kMinVersions = extreme::versions("Min", "Minimum", "minimum", "min");
constexpr auto kMaxVersions = extreme::versions("Max", "Maximum", "maximum", "max");
constexpr OperatorName kAddNames[] = {{"add"}};
constexpr OperatorName kSubNames[] = {{"sub"}, {"subtract"}};
constexpr OperatorName kMulNames[] = {{"mul"}, {"multiply"}};
constexpr OperatorName kFloorModNames[] = {
    {"floormod"},
    {"remainder", {}, {}, Framework::torch},
    {"remainder", {}, {}, Framework::numpy},
    {"mod", {}, {}, Framework::numpy},
    {"remainder", {}, {}, Framework::jax},
    {"mod", {}, {}, Framework::jax},
};
constexpr OperatorName kSquaredDifferenceNames[] = {{"squareddifference"}};
constexpr OperatorName kMinNames[] = {{"min"}, {"minimum"}};
constexpr OperatorName kMaxNames[] = {{"max"}, {"maximum"}};

}  // namespace

constinit const Operator kAdd = elementwise_operator<kernel_of<Add>>(
    {"add", "The sum of two tensors",
     "The sum a + b. Integers wrap. Under --spec stablehlo-N.M it is the logical or of bools.",
     "tensorop add '[[1,2],[3,4]]' '[10,20]'", kAddNames, kAddVersions, kConsumingSpecs, kBinaryOperands});

constinit const Operator kSub = elementwise_operator<kernel_of<Sub>>(
    {"sub", "The difference of two tensors", "The difference a - b. Integers wrap, unsigned integers too.",
     "tensorop sub '[[1,2],[3,4]]' '[10,20]'", kSubNames, kSubVersions, kConsumingSpecs, kBinaryOperands});

constinit const Operator kMul = elementwise_operator<kernel_of<Mul>>(
    {"mul", "The element-wise product of two tensors",
     "The product a * b. Integers wrap. Under --spec stablehlo-N.M it is the logical and of bools.",
     "tensorop mul '[[1],[2]]' '[10,20,30]'", kMulNames, kMulVersions, kConsumingSpecs, kBinaryOperands});

constinit const Operator kDiv = elementwise_operator<div::kernel>(
    {"div", "The quotient of two tensors, rounded towards zero for integers",
     "The quotient a / b. Quotients of integers are rounded towards zero. They are rounded towards minus "
     "infinity with --pythondiv, under the name divide, and under --spec openvino-N.",
     "tensorop div '[-7,7]' '[2,-2]'", div::kNames, div::kVersions, div::kAttributes, kBinaryOperands,
     kDivisionRules, kDivideOpen});

constinit const Operator kPow = elementwise_operator<kernel_of<Pow>>(
    {"pow", "One tensor to the power of another", "a raised to the power b. The result has the dtype of a.",
     "tensorop pow '[2,3,4]' '[10]'", pow::kNames, pow::kVersions, kBinaryAttributes, pow::kOperands,
     pow::kRules});

constinit const Operator kMod = elementwise_operator<mod::kernel>(
    {"mod", "The remainder of a division, with the sign of the divisor or, with --fmod, of the dividend",
     "The remainder of a / b. It has the sign of b; with --fmod and under --spec openvino-N it has the sign "
     "of a.",
     "tensorop mod '[-7,7]' '[3,-3]'", mod::kNames, mod::kVersions, mod::kAttributes, kBinaryOperands,
     mod::kRules, kRemainderOpen});

constinit const Operator kFloorMod = elementwise_operator<kernel_of<FloorMod>>(
    {"floormod", "The remainder of a division rounded down, with the sign of the divisor",
     "The remainder of a division rounded down, as % in Python. It has the sign of b.",
     "tensorop floormod '[-7.5,7.5]' '[2.0]'", kFloorModNames, kFloorModVersions, kBinaryAttributes,
     kBinaryOperands, kDivisionRules, kRemainderOpen});

constinit const Operator kSquaredDifference = elementwise_operator<kernel_of<SquaredDifference>>(
    {"squareddifference", "The square of the difference of two tensors",
     "The squared difference (a - b)^2. Integers wrap; for unsigned integers the result is right even where "
     "a is less than b.",
     "tensorop squareddifference '[1,5]' '[3,2]'", kSquaredDifferenceNames, kSquaredDifferenceVersions,
     kBinaryAttributes, kBinaryOperands});

constinit const Operator kMin = elementwise_operator<kernel_of<Min>>(
    {"min", "The element-wise minimum of any number of tensors",
     "The element-wise minimum of any number of operands, folded from the left. A single operand is copied. "
     "For bool it is the logical and.",
     "tensorop min '[1,5,9]' '[[4],[6]]' '[8,7,2]'", kMinNames, kMinVersions, kConsumingSpecs,
     extreme::kOperands, WordList(), kExtremeOpen});

constinit const Operator kMax = elementwise_operator<kernel_of<Max>>(
    {"max", "The element-wise maximum of any number of tensors",
     "The element-wise maximum of any number of operands, folded from the left. A single operand is copied. "
     "For bool it is the logical or.",
     "tensorop max '[1,5,9]' '[[4],[6]]' '[8,7,2]'", kMaxNames, kMaxVersions, kConsumingSpecs,
     extreme::kOperands, WordList(), kExtremeOpen});

}  // namespace tensorop
