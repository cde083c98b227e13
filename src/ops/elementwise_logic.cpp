// Comparisons, logical and bitwise operators, and shifts: their version tables.
#include <array>

#include "ops/elementwise.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

using published::kIntegersAndBool;

using published::kComplex;
using published::kWideUnsigned;

constexpr LibraryRows kLibraryEqual = {
    {published::kTorchAny, kWideUnsigned}, {published::kNumpyAny}, {published::kJaxAny}};
// NumPy and JAX order complex numbers. NumPy also orders strings, which tensorop does not.
constexpr LibraryRows kLibraryOrder = {
    {{published::kTorchNumbers, kBool}, kWideUnsigned},
    {{published::kOldNumbersAndBool, kComplex}, DType::string, kNanUnordered},
    {published::kJaxAny}};
constexpr LibraryRows kLibraryLogic = {
    {published::kTorchAny, kWideUnsigned}, {{published::kOldNumbersAndBool, kComplex}}, {published::kJaxAny}};
constexpr LibraryRows kLibraryBits = {
    {{published::kTorchIntegers, kBool}, kWideUnsigned}, {kIntegersAndBool}, {kIntegersAndBool}};
constexpr LibraryRows kLibraryShifts = {{published::kTorchIntegers, kWideUnsigned, kAnyShift},
                                        {published::kIntegers, kBool, kAnyShift},
                                        {published::kIntegers, kBool, kAnyShift}};

constexpr DTypeSet kStandardAll = kAllTypes.without(kSmallTypes);

// A WebNN version whose result is a truth value.
constexpr Version webnn_version(std::string_view published, DTypeSet types) {
  return {Framework::webnn, 0, published, types, {}, {.traits = kByteTruth}};
}

// The versions of Greater and Less.
constexpr std::array<Version, 13> order_versions(const ElementwiseNames& names) {
  const auto others = std::to_array<Version>({
      {Framework::standard, 0, names.onnx, kStandardOrdered, kStandardAttributes},
      {Framework::onnx, 1, names.onnx, published::kOldFloats, kLegacyAttributes},
      {Framework::onnx, 7, names.onnx, published::kOldFloats, {}},
      {Framework::onnx, 9, names.onnx, published::kOldNumbers, {}},
      {Framework::onnx, 13, names.onnx, published::kNumbers, {}},
      {Framework::openvino, 1, names.openvino, published::kNumbersAndBool, kOpenvinoAttributes},
      stablehlo_version(names.stablehlo, published::kStablehloAny),
      webnn_version(names.webnn, published::kWebnnAny),
  });
  return and_tensorflow(and_libraries(and_mdf(others), names.torch, names.numpy, kLibraryOrder), names.numpy,
                        published::kNumbers);
}

// The versions of GreaterOrEqual and LessOrEqual.
constexpr std::array<Version, 11> or_equal_versions(const ElementwiseNames& names) {
  const auto others = std::to_array<Version>({
      {Framework::standard, 0, names.onnx, kStandardOrdered, kStandardAttributes},
      {Framework::onnx, 12, names.onnx, published::kOldNumbers, {}},
      {Framework::onnx, 16, names.onnx, published::kNumbers, {}},
      {Framework::openvino, 1, names.openvino, published::kNumbersAndBool, kOpenvinoAttributes},
      stablehlo_version(names.stablehlo, published::kStablehloAny),
      webnn_version(names.webnn, published::kWebnnAny),
  });
  return and_tensorflow(and_libraries(and_mdf(others), names.torch, names.numpy, kLibraryOrder), names.numpy,
                        published::kNumbers);
}

constexpr std::array<Version, 10> logical_versions(const ElementwiseNames& names) {
  const auto others = std::to_array<Version>({
      {Framework::standard, 0, names.onnx, DType::boolean, kStandardAttributes},
      {Framework::onnx, 1, names.onnx, DType::boolean, kLegacyAttributes},
      {Framework::onnx, 7, names.onnx, DType::boolean, {}},
      {Framework::openvino, 1, names.openvino, DType::boolean, kOpenvinoAttributes},
      webnn_version(names.webnn, DType::uint8),
  });
  return and_tensorflow(and_libraries(and_mdf(others), names.torch, names.numpy, kLibraryLogic), names.numpy,
                        DType::boolean);
}

constexpr std::array<Version, 8> bitwise_versions(const ElementwiseNames& names) {
  const auto others = std::to_array<Version>({
      {Framework::standard, 0, names.onnx, kIntegerTypes | DType::boolean, kStandardAttributes},
      {Framework::onnx, 18, names.onnx, published::kIntegers, {}},
      {Framework::openvino, 13, names.openvino, kIntegersAndBool, kOpenvinoAttributes},
      stablehlo_version(names.stablehlo, kIntegersAndBool, {}, published::kInt4),
  });
  return and_tensorflow(and_libraries(others, names.torch, names.numpy, kLibraryBits), names.numpy,
                        published::kIntegers);
}

namespace equal {

constexpr DTypeSet kOnnx1 = {DType::boolean, DType::int32, DType::int64};
constexpr DTypeSet kOnnx11 = {published::kOldNumbers, DType::boolean};
constexpr DTypeSet kOnnx19 = {published::kNumbersAndBool, DType::string};
constexpr auto kOthers = std::to_array<Version>({
    {Framework::standard, 0, "Equal", kStandardAll, kStandardAttributes},
    {Framework::onnx, 1, "Equal", kOnnx1, kLegacyAttributes},
    {Framework::onnx, 7, "Equal", kOnnx1, {}},
    {Framework::onnx, 11, "Equal", kOnnx11, {}},
    {Framework::onnx, 13, "Equal", published::kNumbersAndBool, {}},
    {Framework::onnx, 19, "Equal", kOnnx19, {}},
    {Framework::openvino, 1, "Equal", published::kOpenvinoAny, kOpenvinoAttributes},
    stablehlo_version("compare_EQ", published::kStablehloAny),
    webnn_version("equal", published::kWebnnAny),
});
constexpr auto kVersions = and_tensorflow(and_libraries(and_mdf(kOthers), "eq", "equal", kLibraryEqual),
                                          "equal", published::kTensorflowAny);
constexpr auto kNotEqualOthers = std::to_array<Version>({
    {Framework::standard, 0, "NotEqual", kStandardAll, kStandardAttributes},
    {Framework::openvino, 1, "NotEqual", published::kOpenvinoAny, kOpenvinoAttributes},
    stablehlo_version("compare_NE", published::kStablehloAny),
    webnn_version("notEqual", published::kWebnnAny),
});
constexpr auto kNotEqualVersions = and_tensorflow(
    and_libraries(kNotEqualOthers, "ne", "not_equal", kLibraryEqual), "not_equal", published::kTensorflowAny);

}  // namespace equal

namespace shift {

enum class Direction : std::uint8_t { left, right };
constexpr Choice kDirections[] = {{"left", Direction::left}, {"right", Direction::right}};

constexpr AttributeSpec kAttributes[] = {
    kAutoBroadcastSpec,
    kAxisSpec,
    kBroadcastSpec,
    {"direction", AttributeKind::choice, "", "the direction of the shift", "EW-6", kDirections, true},
};
constexpr AttributeRow kStandard[] = {{"auto_broadcast"}, {"axis"}, {"broadcast"}, {"direction"}};
constexpr auto kDirectionKey = attribute_key<Direction>(kAttributes, "direction");
constexpr AttributeRow kDirection[] = {{"direction"}};
// In OpenVINO, StableHLO and the libraries, the operator's name says the direction.
constexpr auto kOthers = std::to_array<Version>({
    {Framework::standard, 0, "BitShift", kIntegerTypes, kStandard},
    {Framework::onnx, 11, "BitShift", published::kUnsigned, kDirection},
    {Framework::onnx, 28, "BitShift", published::kIntegers, kDirection, {.traits = kAnyShift}},
    {Framework::openvino, 15, "BitwiseLeftShift", published::kIntegers, kOpenvinoAttributes},
    {Framework::openvino, 15, "BitwiseRightShift", published::kIntegers, kOpenvinoAttributes},
    stablehlo_version("shift_left", published::kIntegers, {}, published::kInt4),
    stablehlo_version("shift_right_arithmetic", published::kIntegers, {}, published::kInt4),
    stablehlo_version("shift_right_logical", published::kIntegers, kLogicalShift, published::kInt4),
});
constexpr auto kInLibraries =
    and_libraries(and_libraries(and_mdf(kOthers), "bitwise_left_shift", "left_shift", kLibraryShifts),
                  "bitwise_right_shift", "right_shift", kLibraryShifts);
constexpr auto kVersions = and_tensorflow(and_tensorflow(kInLibraries, "left_shift", published::kIntegers),
                                          "right_shift", published::kIntegers);
constexpr OperatorName::Preset kLeft = {"direction", "left"};
constexpr OperatorName::Preset kRight = {"direction", "right"};
constexpr OperatorName kNames[] = {
    {"bitshift", {}, "BitShift"},
    {"bitwiseleftshift", {}, "BitwiseLeftShift bitwise_left_shift left_shift", kLeft},
    {"bitwiserightshift", {}, "BitwiseRightShift bitwise_right_shift right_shift", kRight},
    {"shiftleft", Framework::stablehlo, "shift_left", kLeft},
    {"shiftrightarithmetic", Framework::stablehlo, "shift_right_arithmetic", kRight},
    {"shiftrightlogical", Framework::stablehlo, "shift_right_logical", kRight},
    {"leftshift", Framework::numpy, "left_shift", kLeft},
    {"rightshift", Framework::numpy, "right_shift", kRight},
    {"leftshift", Framework::jax, "left_shift", kLeft},
    {"rightshift", Framework::jax, "right_shift", kRight},
    {"leftshift", Framework::tensorflow, "left_shift", kLeft},
    {"rightshift", Framework::tensorflow, "right_shift", kRight},
};
constexpr OperandSpec kOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the integers to shift"},
    {"b", "T", OperandRole::data, "T-1", "the number of bits to shift by, of a's dtype"},
};

BinaryKernel kernel(const Call& call) {
  const bool is_left = call.get(kDirectionKey) == Direction::left;
  if (call.has_trait(kAnyShift))
    return is_left ? kernel_of<AnyShiftLeft>(call) : kernel_of<AnyShiftRight>(call);
  if (is_left) return kernel_of<ShiftLeft>(call);
  return call.has_trait(kLogicalShift) ? kernel_of<ShiftRightLogical>(call) : kernel_of<ShiftRight>(call);
}

}  // namespace shift

constexpr auto kLessVersions = order_versions({"Less", "Less", "compare_LT", "lesser", "lt", "less"});
constexpr auto kGreaterVersions =
    order_versions({"Greater", "Greater", "compare_GT", "greater", "gt", "greater"});
constexpr auto kLessOrEqualVersions =
    or_equal_versions({"LessOrEqual", "LessEqual", "compare_LE", "lesserOrEqual", "le", "less_equal"});
constexpr auto kGreaterOrEqualVersions = or_equal_versions(
    {"GreaterOrEqual", "GreaterEqual", "compare_GE", "greaterOrEqual", "ge", "greater_equal"});
constexpr auto kAndVersions =
    logical_versions({"And", "LogicalAnd", "", "logicalAnd", "logical_and", "logical_and"});
constexpr auto kOrVersions =
    logical_versions({"Or", "LogicalOr", "", "logicalOr", "logical_or", "logical_or"});
constexpr auto kXorVersions =
    logical_versions({"Xor", "LogicalXor", "", "logicalXor", "logical_xor", "logical_xor"});
constexpr auto kBitwiseAndVersions =
    bitwise_versions({"BitwiseAnd", "BitwiseAnd", "and", "", "bitwise_and", "bitwise_and"});
constexpr auto kBitwiseOrVersions =
    bitwise_versions({"BitwiseOr", "BitwiseOr", "or", "", "bitwise_or", "bitwise_or"});
constexpr auto kBitwiseXorVersions =
    bitwise_versions({"BitwiseXor", "BitwiseXor", "xor", "", "bitwise_xor", "bitwise_xor"});
constexpr OperatorName kEqualNames[] = {
    {"equal"}, {"compareeq", Framework::stablehlo}, {"eq", Framework::torch}};
constexpr OperatorName kNotEqualNames[] = {
    {"notequal"}, {"comparene", Framework::stablehlo}, {"ne", Framework::torch}};
constexpr OperatorName kLessNames[] = {
    {"less"}, {"comparelt", Framework::stablehlo}, {"lesser", Framework::webnn}, {"lt", Framework::torch}};
constexpr OperatorName kLessOrEqualNames[] = {{"lessorequal"},
                                              {"lessequal"},
                                              {"comparele", Framework::stablehlo},
                                              {"lesserorequal", Framework::webnn},
                                              {"le", Framework::torch}};
constexpr OperatorName kGreaterNames[] = {
    {"greater"}, {"comparegt", Framework::stablehlo}, {"gt", Framework::torch}};
constexpr OperatorName kGreaterOrEqualNames[] = {
    {"greaterorequal"}, {"greaterequal"}, {"comparege", Framework::stablehlo}, {"ge", Framework::torch}};
constexpr OperatorName kAndNames[] = {{"and"}, {"logicaland"}};
constexpr OperatorName kOrNames[] = {{"or"}, {"logicalor"}};
constexpr OperatorName kXorNames[] = {{"xor"}, {"logicalxor"}};
constexpr OperatorName kBitwiseAndNames[] = {{"bitwiseand"}, {"and", Framework::stablehlo}};
constexpr OperatorName kBitwiseOrNames[] = {{"bitwiseor"}, {"or", Framework::stablehlo}};
constexpr OperatorName kBitwiseXorNames[] = {{"bitwisexor"}, {"xor", Framework::stablehlo}};

}  // namespace

constinit const Operator kEqual = elementwise_operator<kernel_of<Equal>>(
    {"equal", "==", "Whether elements are equal; NaN equals nothing",
     "Whether a == b, as bool. NaN is not equal to any value, and -0.0 equals 0.0.",
     "tensorop equal '[[1,2],[3,4]]' '[1,4]'", kEqualNames, equal::kVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kNotEqual = elementwise_operator<kernel_of<NotEqual>>(
    {"notequal", "!=", "Whether elements differ; NaN differs from everything",
     "Whether a != b, as bool: the negation of equal. NaN differs from every value, itself included.",
     "tensorop notequal '[[1,2],[3,4]]' '[1,4]'", kNotEqualNames, equal::kNotEqualVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kLess = elementwise_operator<kernel_of_order<Less>>(
    {"less", "<", "Whether each element of a is less than the one of b",
     "Whether a < b, as bool. The result is false if an operand is NaN. For bool, false is less than true.",
     "tensorop less '[1,2,3]' '[2]'", kLessNames, kLessVersions, kBinaryAttributes, kBinaryOperands});

constinit const Operator kLessOrEqual = elementwise_operator<kernel_of_order<LessOrEqual>>(
    {"lessorequal", "<=", "Whether each element of a is less than or equal to the one of b",
     "Whether a <= b, as bool. The result is false if an operand is NaN. For bool, false is less than true.",
     "tensorop lessorequal '[1,2,3]' '[2]'", kLessOrEqualNames, kLessOrEqualVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kGreater = elementwise_operator<kernel_of_order<Greater>>(
    {"greater", ">", "Whether each element of a is greater than the one of b",
     "Whether a > b, as bool. The result is false if an operand is NaN. For bool, false is less than true.",
     "tensorop greater '[1,2,3]' '[2]'", kGreaterNames, kGreaterVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kGreaterOrEqual = elementwise_operator<kernel_of_order<GreaterOrEqual>>(
    {"greaterorequal", ">=", "Whether each element of a is greater than or equal to the one of b",
     "Whether a >= b, as bool. The result is false if an operand is NaN. For bool, false is less than true.",
     "tensorop greaterorequal '[1,2,3]' '[2]'", kGreaterOrEqualNames, kGreaterOrEqualVersions,
     kBinaryAttributes, kBinaryOperands});

constinit const Operator kAnd = elementwise_operator<kernel_of_truth<And, LogicalAnd>>(
    {"and", "and", "Whether both elements are true",
     "The logical and of two bools; under --spec torch-2, numpy-2 and jax-0 of numbers too.",
     "tensorop and '[[true],[false]]' '[true,false]'", kAndNames, kAndVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kOr = elementwise_operator<kernel_of_truth<Or, LogicalOr>>(
    {"or", "or", "Whether at least one of two elements is true",
     "The logical or of two bools; under --spec torch-2, numpy-2 and jax-0 of numbers too.",
     "tensorop or '[[true],[false]]' '[true,false]'", kOrNames, kOrVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kXor = elementwise_operator<kernel_of_truth<Xor, LogicalXor>>(
    {"xor", "xor", "Whether exactly one of two elements is true",
     "The logical exclusive or of two bools; under --spec torch-2, numpy-2 and jax-0 of numbers too.",
     "tensorop xor '[[true],[false]]' '[true,false]'", kXorNames, kXorVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kBitwiseAnd = elementwise_operator<kernel_of<And>>(
    {"bitwiseand", "&", "The bits set in both of two integers",
     "The bits set in both operands. For bool it is the logical and.", "tensorop bitwiseand '[12,10]' '[6]'",
     kBitwiseAndNames, kBitwiseAndVersions, kBinaryAttributes, kBinaryOperands});

constinit const Operator kBitwiseOr = elementwise_operator<kernel_of<Or>>(
    {"bitwiseor", "|", "The bits set in at least one of two integers",
     "The bits set in at least one operand. For bool it is the logical or.",
     "tensorop bitwiseor '[12,10]' '[6]'", kBitwiseOrNames, kBitwiseOrVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kBitwiseXor = elementwise_operator<kernel_of<Xor>>(
    {"bitwisexor", "^", "The bits set in exactly one of two integers",
     "The bits set in exactly one operand. For bool it is the logical exclusive or.",
     "tensorop bitwisexor '[12,10]' '[6]'", kBitwiseXorNames, kBitwiseXorVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kBitShift = elementwise_operator<shift::kernel>(
    {"bitshift", "", "Shifts the bits of integers left or right",
     "The bits of a shifted by b bits to the left or to the right. A right shift of a signed integer keeps "
     "its sign, except under the name shift_right_logical of StableHLO.",
     "tensorop bitshift '[1,2,3]' '[4]' --direction left", shift::kNames, shift::kVersions,
     shift::kAttributes, shift::kOperands, "EW-8", kShiftOpen, kPowerNames});

}  // namespace tensorop
