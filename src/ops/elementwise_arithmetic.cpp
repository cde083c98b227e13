// Arithmetic on two tensors, and min and max of any number of tensors: their version tables.
#include <array>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/elementwise.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

using published::kComplex;

constexpr DTypeSet kWideIntegers = {DType::int32, DType::int64, DType::uint32, DType::uint64};
constexpr DTypeSet kOnnx6Types = {kWideIntegers, published::kOldFloats};
constexpr DTypeSet kOnnx13Types = {kWideIntegers, published::kFloats};
constexpr DTypeSet kStablehloNumbers = {published::kNumbers, kComplex};
constexpr DTypeSet kStandardComplexToo = {kNumericTypes, kComplexTypes};

constexpr AttributeSpec kConsumingSpecs[] = {kAutoBroadcastSpec, kAxisSpec, kBroadcastSpec,
                                             kConsumedInputsSpec};
using Attributes = std::span<const AttributeRow>;

using published::kWideUnsigned;
constexpr std::string_view kZeroDivisor = "EW-7";  // integers by zero; NumPy returns 0, JAX -1 or others

constexpr LibraryRows kLibrarySums = {{published::kTorchAny, kWideUnsigned},
                                      {{published::kOldNumbersAndBool, kComplex}, DType::string},
                                      {published::kJaxAny}};
constexpr LibraryRows kLibraryProducts = {
    {published::kTorchAny, kWideUnsigned}, {{published::kOldNumbersAndBool, kComplex}}, {published::kJaxAny}};
constexpr LibraryRows kLibraryDifferences = {{{published::kTorchNumbers, kComplex}, kWideUnsigned},
                                             {{published::kOldNumbers, kComplex}},
                                             {{published::kNumbers, kComplex}}};
// Quotients of integers are floats.
constexpr LibraryRows kLibraryQuotients = {{{published::kFloats, kComplex}, published::kIntegersAndBool},
                                           {{published::kOldFloats, kComplex}, published::kIntegersAndBool},
                                           {{published::kFloats, kComplex}, published::kIntegersAndBool}};
constexpr LibraryRows kLibraryFloors = {
    {published::kTorchIntegers, {published::kFloats, kWideUnsigned}},
    {published::kIntegers, {published::kOldFloats, kBool}, {}, kZeroDivisor},
    {published::kIntegers, {published::kFloats, kBool}, {}, kZeroDivisor}};
constexpr LibraryRows kLibraryFmods = {{published::kTorchNumbers, kWideUnsigned},
                                       {published::kOldNumbers, kBool, {}, kZeroDivisor},
                                       {published::kNumbers, kBool, {}, kZeroDivisor}};
constexpr LibraryRows kLibraryRemainders = {{published::kTorchNumbers, kWideUnsigned, kKeepsZero},
                                            {published::kOldNumbers, kBool, {}, kZeroDivisor},
                                            {published::kNumbers, kBool, kKeepsZero, kZeroDivisor}};
constexpr LibraryRows kLibraryPowers = {{published::kTorchNumbers, {kComplex, kWideUnsigned}, kPowOfZero},
                                        {published::kOldNumbers, {kComplex, kBool}, kNaturalPow},
                                        {published::kFloats, {published::kIntegersAndBool, kComplex}}};
constexpr LibraryRows kLibraryExtremes = {{{published::kTorchNumbers, kBool}, kWideUnsigned},
                                          {{published::kOldNumbersAndBool, kComplex}, {}, kNanUnordered},
                                          {published::kJaxAny}};

// The versions of Add, Sub, Mul and Div.
constexpr std::array<Version, 13> versions(const ElementwiseNames& names, DTypeSet stablehlo,
                                           const LibraryRows& libraries,
                                           Attributes standard = kStandardAttributes,
                                           Attributes openvino = kOpenvinoAttributes) {
  const auto others = std::to_array<Version>({
      {Framework::standard, 0, names.onnx, kStandardComplexToo, standard},
      {Framework::onnx, 1, names.onnx, published::kConsumingTypes, kConsumingAttributes},
      {Framework::onnx, 6, names.onnx, kOnnx6Types, kLegacyAttributes},
      {Framework::onnx, 7, names.onnx, kOnnx6Types, {}},
      {Framework::onnx, 13, names.onnx, kOnnx13Types, {}},
      {Framework::onnx, 14, names.onnx, published::kNumbers, {}},
      {Framework::openvino, 1, names.openvino, published::kNumbers, openvino},
      stablehlo_version(names.stablehlo, stablehlo),
      {Framework::webnn, 0, names.webnn, published::kWebnnAny, {}},
  });
  return and_libraries(and_mdf(others), names.torch, names.numpy, libraries);
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
constexpr auto kOthers = and_libraries(versions({"Div", "Divide", "divide", "div", "div", "divide"},
                                                kStablehloNumbers, kLibraryQuotients, kStandard, kOpenvino),
                                       "floor_divide", "floor_divide", kLibraryFloors);
// TensorFlow's quotients of integers by divide are floats, its kernels of truncatediv integers.
constexpr auto kVersions = and_tensorflow(
    and_tensorflow(and_tensorflow(kOthers, "divide", {published::kFloats, kComplex}, published::kIntegers),
                   "floordiv", published::kIntegers, published::kFloats),
    "truncatediv", published::kIntegers, {published::kFloats, kComplex});
constexpr auto kPythonDivKey = attribute_key<bool>(kAttributes, "pythondiv");
constexpr OperatorName::Preset kFloors = {"pythondiv", "true"};
constexpr OperatorName kNames[] = {
    {"div", {}, "Div Divide div divide"},
    {"divide", {}, "Divide", kFloors},
    {"divide", Framework::stablehlo, "divide"},
    {"divide", Framework::numpy, "divide"},
    {"divide", Framework::jax, "divide"},
    {"truedivide", Framework::torch, "div"},
    {"truedivide", Framework::numpy, "divide"},
    {"truedivide", Framework::jax, "divide"},
    {"floordivide", Framework::torch, "floor_divide", kFloors},
    {"floordivide", Framework::numpy, "floor_divide", kFloors},
    {"floordivide", Framework::jax, "floor_divide", kFloors},
    {"divide", Framework::tensorflow, "divide"},
    {"truedivide", Framework::tensorflow, "divide"},
    {"floordiv", Framework::tensorflow, "floordiv", kFloors},
    {"truncatediv", Framework::tensorflow, "truncatediv"},
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
constexpr TypeRows kStandard = {{"T", kNumericTypes}, {"T1", kNumericTypes}};
constexpr TypeRows kOnnx12 = {{"T", {published::kInt32Or64, published::kOldFloats}},
                              {"T1", published::kOldNumbers}};
constexpr TypeRows kOnnx13 = {{"T", {published::kInt32Or64, published::kFloats}},
                              {"T1", published::kOldNumbers}};
constexpr TypeRows kOnnx15 = {{"T", {published::kInt32Or64, published::kFloats}},
                              {"T1", published::kNumbers}};
constexpr auto kOthers = std::to_array<Version>({
    {Framework::standard, 0, "Pow", kStandard, kStandardAttributes},
    {Framework::onnx, 1, "Pow", published::kOldFloats, kLegacyAttributes},
    {Framework::onnx, 7, "Pow", published::kOldFloats, {}},
    {Framework::onnx, 12, "Pow", kOnnx12, {}},
    {Framework::onnx, 13, "Pow", kOnnx13, {}},
    {Framework::onnx, 15, "Pow", kOnnx15, {}},
    {Framework::openvino, 1, "Power", published::kNumbers, kOpenvinoNoPdpd},
    stablehlo_version("power", published::kNumbers, kPowOfZero, kComplexAndSmall),
    {Framework::webnn, 0, "pow", published::kWebnnAny, {}},
});
constexpr DTypeSet kTensorflow = {published::kFloats, published::kInt32Or64, DType::int8, DType::int16};
constexpr auto kVersions = and_tensorflow(and_libraries(and_mdf(kOthers), "pow", "power", kLibraryPowers),
                                          "pow", kTensorflow, kComplex, kNaturalPow);
constexpr OperatorName kNames[] = {{"pow"}, {"power"}};

BinaryKernel kernel(const Call& call) {
  if (!kIntegerTypes.contains(call.operands[0].dtype())) return kernel_of<Pow>(call);
  if (call.has_trait(kPowOfZero)) return kernel_of<PowOfZero>(call);
  return call.has_trait(kNaturalPow) ? kernel_of<NaturalPow>(call) : kernel_of<Pow>(call);
}

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
    {Framework::standard, 0, "Mod", kNumericTypes, kStandard},
    {Framework::onnx, 10, "Mod", published::kOldNumbers, kFmod},
    {Framework::onnx, 13, "Mod", published::kNumbers, kFmod},
    {Framework::onnx, 28, "Mod", published::kNumbers, kFmod, {.traits = kFloatFloorMod}},
    {Framework::openvino, 1, "Mod", published::kNumbers, kOpenvinoNoPdpd, {.traits = kTruncates}},
    stablehlo_version("remainder", published::kNumbers, kTruncates, kComplexAndSmall),
});
constexpr auto kVersions = and_libraries(and_mdf(kOthers), "fmod", "fmod", kLibraryFmods);
constexpr OperatorName::Preset kTruncated = {"fmod", "true"};
constexpr OperatorName kNames[] = {
    {"mod", {}, "Mod remainder"},
    {"remainder", Framework::stablehlo, "remainder"},
    {"fmod", Framework::torch, "fmod", kTruncated},
    {"fmod", Framework::numpy, "fmod", kTruncated},
    {"fmod", Framework::jax, "fmod", kTruncated},
};

BinaryKernel kernel(const Call& call) {
  const bool truncates = call.has_trait(kTruncates) || call.get(kFmodKey);
  const bool is_floor_of_floats = call.has_trait(kFloatFloorMod) || !call.strict();
  if (!truncates && !is_floor_of_floats && kFloatTypes.contains(call.operands[0].dtype())) {
    throw Error(cat("a is ", name(call.operands[0].dtype()), ", and ", call.version_name("defines"),
                    " mod of floats only with fmod 1"),
                "EW-4");
  }
  return truncates ? kernel_of<Mod>(call) : kernel_of<FloorMod>(call);
}

}  // namespace mod

// Operators of OpenVINO only.
constexpr std::array<Version, 2> openvino_versions(std::string_view published, DTypeSet standard) {
  return {{
      {Framework::standard, 0, published, standard, kStandardAttributes},
      {Framework::openvino, 1, published, published::kNumbers, kOpenvinoNoPdpd},
  }};
}

namespace extreme {

constexpr OperandSpec kOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the first operand"},
    {"b", "T", OperandRole::data, "T-1",
     "any number of further operands, of a's dtype; without them a is copied", true},
};

constexpr AttributeRow kConsumed[] = {{"consumed_inputs"}};

constexpr std::array<Version, 14> versions(const ElementwiseNames& names) {
  const auto others = std::to_array<Version>({
      {Framework::standard, 0, names.onnx, kStandardOrdered, kStandardAttributes},
      {Framework::onnx, 1, names.onnx, published::kConsumingTypes, kConsumed, {.traits = kIdenticalShapes}},
      {Framework::onnx, 6, names.onnx, published::kOldFloats, {}, {.traits = kIdenticalShapes}},
      {Framework::onnx, 8, names.onnx, published::kOldFloats, {}},
      {Framework::onnx, 12, names.onnx, published::kOldNumbers, {}},
      {Framework::onnx, 13, names.onnx, published::kNumbers, {}},
      {Framework::openvino, 1, names.openvino, published::kNumbers, kOpenvinoNoPdpd, {.operands = 2}},
      stablehlo_version(names.stablehlo, published::kStablehloAny),
      {Framework::webnn, 0, names.webnn, published::kWebnnAny, {}, {.operands = 2}},
  });
  return and_tensorflow(and_libraries(and_mdf(others), names.torch, names.numpy, kLibraryExtremes, 2),
                        names.numpy, published::kNumbers);
}

}  // namespace extreme

constexpr auto kAddVersions = and_tensorflow(
    versions({"Add", "Add", "add", "add", "add", "add"}, published::kStablehloAny, kLibrarySums), "add",
    published::kTensorflowNumbers, DType::string);
constexpr auto kSubVersions =
    and_tensorflow(versions({"Sub", "Subtract", "subtract", "sub", "sub", "subtract"}, kStablehloNumbers,
                            kLibraryDifferences),
                   "subtract", published::kTensorflowNumbers);
constexpr auto kMulVersions =
    and_tensorflow(versions({"Mul", "Multiply", "multiply", "mul", "mul", "multiply"},
                            published::kStablehloAny, kLibraryProducts),
                   "multiply", published::kTensorflowNumbers);
constexpr auto kFloorModVersions = and_tensorflow(
    and_libraries(openvino_versions("FloorMod", kNumericTypes), "remainder", "remainder", kLibraryRemainders),
    "floormod", published::kNumbers, {}, kKeepsZero);
constexpr auto kSquaredDifferenceVersions =
    and_tensorflow(openvino_versions("SquaredDifference", kStandardComplexToo), "squared_difference",
                   {published::kFloats, published::kInt32Or64, kComplex}, {}, kConjugates);
constexpr auto kMinVersions = extreme::versions({"Min", "Minimum", "minimum", "min", "minimum", "minimum"});
constexpr auto kMaxVersions = extreme::versions({"Max", "Maximum", "maximum", "max", "maximum", "maximum"});
BinaryKernel floor_mod_kernel(const Call& call) {
  return call.has_trait(kKeepsZero) ? kernel_of<FloorModKeepingZero>(call) : kernel_of<FloorMod>(call);
}
BinaryKernel squared_difference_kernel(const Call& call) {
  const bool conjugates = call.has_trait(kConjugates) && kComplexTypes.contains(call.operands[0].dtype());
  return conjugates ? kernel_of<SquaredDistance>(call) : kernel_of<SquaredDifference>(call);
}

constexpr OperatorName kAddNames[] = {{"add"}};
constexpr OperatorName kSubNames[] = {{"sub"}, {"subtract"}};
constexpr OperatorName kMulNames[] = {{"mul"}, {"multiply"}};
constexpr OperatorName kFloorModNames[] = {
    {"floormod"},
    {"remainder", Framework::torch},
    {"remainder", Framework::numpy},
    {"mod", Framework::numpy},
    {"remainder", Framework::jax},
    {"mod", Framework::jax},
    {"mod", Framework::tensorflow},
};
constexpr OperatorName kSquaredDifferenceNames[] = {{"squareddifference"}};
constexpr PublishedNames kMinOperands[] = {{Framework::onnx, "data_", "min"},
                                           {Framework::stablehlo, "lhs rhs"}};
constexpr PublishedNames kMaxOperands[] = {{Framework::onnx, "data_", "max"},
                                           {Framework::stablehlo, "lhs rhs"}};
constexpr OperatorName kMinNames[] = {{"min"}, {"minimum"}};
constexpr OperatorName kMaxNames[] = {{"max"}, {"maximum"}};

}  // namespace

constinit const Operator kAdd = elementwise_operator<kernel_of<Add>>(
    {"add", "+", "The sum of two tensors",
     "The sum a + b. Integers wrap. Under --spec stablehlo-N.M, torch-2, numpy-2 and jax-0 it is the logical "
     "or of bools.",
     "tensorop add '[[1,2],[3,4]]' '[10,20]'", kAddNames, kAddVersions, kConsumingSpecs, kBinaryOperands});

constinit const Operator kSub = elementwise_operator<kernel_of<Sub>>(
    {"sub", "-", "The difference of two tensors",
     "The difference a - b. Integers wrap, unsigned integers too.", "tensorop sub '[[1,2],[3,4]]' '[10,20]'",
     kSubNames, kSubVersions, kConsumingSpecs, kBinaryOperands});

constinit const Operator kMul = elementwise_operator<kernel_of<Mul>>(
    {"mul", "*", "The element-wise product of two tensors",
     "The product a * b. Integers wrap. Under --spec stablehlo-N.M, torch-2, numpy-2 and jax-0 it is the "
     "logical and of bools.",
     "tensorop mul '[[1],[2]]' '[10,20,30]'", kMulNames, kMulVersions, kConsumingSpecs, kBinaryOperands});

constinit const Operator kDiv = elementwise_operator<div::kernel>(
    {"div", "/", "The quotient of two tensors, rounded towards zero for integers",
     "The quotient a / b. Quotients of integers are rounded towards zero. They are rounded towards minus "
     "infinity with --pythondiv, under the name divide, and under --spec openvino-N.",
     "tensorop div '[-7,7]' '[2,-2]'", div::kNames, div::kVersions, div::kAttributes, kBinaryOperands, "EW-7",
     kDivideOpen});

constinit const Operator kPow = elementwise_operator<pow::kernel>(
    {"pow", "**", "One tensor to the power of another",
     "a raised to the power b. The result has the dtype of a.", "tensorop pow '[2,3,4]' '[10]'", pow::kNames,
     pow::kVersions, kBinaryAttributes, pow::kOperands, "T-2 EW-7 EW-8", std::span<const OpenRow>(),
     kPowerNames, true});

constinit const Operator kMod = elementwise_operator<mod::kernel>(
    {"mod", "%", "The remainder of a division, with the sign of the divisor or, with --fmod, of the dividend",
     "The remainder of a / b. It has the sign of b; with --fmod and under --spec openvino-N it has the sign "
     "of a.",
     "tensorop mod '[-7,7]' '[3,-3]'", mod::kNames, mod::kVersions, mod::kAttributes, kBinaryOperands,
     "EW-4 EW-7", kRemainderOpen});

constinit const Operator kFloorMod = elementwise_operator<floor_mod_kernel>(
    {"floormod", "", "The remainder of a division rounded down, with the sign of the divisor",
     "The remainder of a division rounded down, as % in Python. It has the sign of b.",
     "tensorop floormod '[-7.5,7.5]' '[2.0]'", kFloorModNames, kFloorModVersions, kBinaryAttributes,
     kBinaryOperands, "EW-7", kRemainderOpen});

constinit const Operator kSquaredDifference = elementwise_operator<squared_difference_kernel>(
    {"squareddifference", "", "The square of the difference of two tensors",
     "The squared difference (a - b)^2. Integers wrap; for unsigned integers the result is right even where "
     "a is less than b.",
     "tensorop squareddifference '[1,5]' '[3,2]'", kSquaredDifferenceNames, kSquaredDifferenceVersions,
     kBinaryAttributes, kBinaryOperands});

constinit const Operator kMin = elementwise_operator<kernel_of_extreme<Min, Less, LessOrEqual>>(
    {"min", "", "The element-wise minimum of any number of tensors",
     "The element-wise minimum of any number of operands, folded from the left. A single operand is copied. "
     "For bool it is the logical and.",
     "tensorop min '[1,5,9]' '[[4],[6]]' '[8,7,2]'", kMinNames, kMinVersions, kConsumingSpecs,
     extreme::kOperands, WordList(), kExtremeOpen, kMinOperands});

constinit const Operator kMax = elementwise_operator<kernel_of_extreme<Max, Greater, GreaterOrEqual>>(
    {"max", "", "The element-wise maximum of any number of tensors",
     "The element-wise maximum of any number of operands, folded from the left. A single operand is copied. "
     "For bool it is the logical or.",
     "tensorop max '[1,5,9]' '[[4],[6]]' '[8,7,2]'", kMaxNames, kMaxVersions, kConsumingSpecs,
     extreme::kOperands, WordList(), kExtremeOpen, kMaxOperands});

}  // namespace tensorop
