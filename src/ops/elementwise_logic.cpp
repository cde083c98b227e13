// Comparisons, logical and bitwise operators, and shifts: the version tables of 6.2 and 7.1.
#include <array>

#include "ops/elementwise.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

constexpr LibraryTypes kLibraryAny = {published::kTorchAnyRow, published::kNumpyAnyRow,
                                      published::kJaxAnyRow};
constexpr LibraryTypes kLibraryBools = {published::kBoolRow, published::kBoolRow, published::kBoolRow};
constexpr LibraryTypes kLibraryBits = {published::kTorchIntegerAndBoolRow, published::kIntegerAndBoolRow,
                                       published::kIntegerAndBoolRow};
constexpr LibraryTypes kLibraryShifts = {published::kTorchIntegerRow, published::kIntegerRow,
                                         published::kIntegerRow};

constexpr TypeRow kStandardAll[] = {{"T", kAllTypes.without(kSmallTypes)}};

// An operator of WebNN with a truth value for its result.
constexpr Version webnn_version(std::string_view published, std::span<const TypeRow> types) {
  return {Framework::webnn, 0, published, types, {}, {}, kByteTruth};
}

// Greater and Less, by the names ONNX, StableHLO and WebNN give them.
constexpr std::array<Version, 8> order_versions(std::string_view published, std::string_view stablehlo,
                                                std::string_view webnn) {
  return {{
      {Framework::standard, 0, published, kStandardOrdered, kStandardAttributes},
      {Framework::onnx, 1, published, published::kOldFloatRow, kLegacyAttributes},
      {Framework::onnx, 7, published, published::kOldFloatRow, {}},
      {Framework::onnx, 9, published, published::kOldNumberRow, {}},
      {Framework::onnx, 13, published, published::kNumberRow, {}},
      {Framework::openvino, 1, published, published::kNumberAndBoolRow, kOpenvinoAttributes},
      stablehlo_version(stablehlo, published::kNumberAndBoolRow),
      webnn_version(webnn, published::kWebnnRow),
  }};
}

// GreaterOrEqual and LessOrEqual, by the names ONNX, OpenVINO, StableHLO and WebNN give them.
constexpr std::array<Version, 6> or_equal_versions(std::string_view onnx, std::string_view openvino,
                                                   std::string_view stablehlo, std::string_view webnn) {
  return {{
      {Framework::standard, 0, onnx, kStandardOrdered, kStandardAttributes},
      {Framework::onnx, 12, onnx, published::kOldNumberRow, {}},
      {Framework::onnx, 16, onnx, published::kNumberRow, {}},
      {Framework::openvino, 1, openvino, published::kNumberAndBoolRow, kOpenvinoAttributes},
      stablehlo_version(stablehlo, published::kNumberAndBoolRow),
      webnn_version(webnn, published::kWebnnRow),
  }};
}

constexpr std::array<Version, 5> logical_versions(std::string_view onnx, std::string_view openvino,
                                                  std::string_view webnn) {
  return {{
      {Framework::standard, 0, onnx, kStandardBool, kStandardAttributes},
      {Framework::onnx, 1, onnx, published::kBoolRow, kLegacyAttributes},
      {Framework::onnx, 7, onnx, published::kBoolRow, {}},
      {Framework::openvino, 1, openvino, published::kBoolRow, kOpenvinoAttributes},
      webnn_version(webnn, published::kByteRow),
  }};
}

constexpr TypeRow kStandardBitwise[] = {{"T", {kIntegerTypes, DType::boolean}}};
constexpr TypeRow kOnnx18Bitwise[] = {{"T", published::kIntegers}};

constexpr TypeRow kBitsAndBool[] = {{"T", {published::kIntegers, DType::boolean}}};

constexpr std::array<Version, 4> bitwise_versions(std::string_view published, std::string_view stablehlo) {
  return {{
      {Framework::standard, 0, published, kStandardBitwise, kStandardAttributes},
      {Framework::onnx, 18, published, kOnnx18Bitwise, {}},
      {Framework::openvino, 13, published, kBitsAndBool, kOpenvinoAttributes},
      stablehlo_version(stablehlo, kBitsAndBool),
  }};
}

namespace equal {

constexpr TypeRow kOnnx1[] = {{"T", {DType::boolean, DType::int32, DType::int64}}};
constexpr TypeRow kOnnx11[] = {{"T", {published::kOldNumbers, DType::boolean}}};
constexpr TypeRow kOnnx19[] = {{"T", {published::kNumbersAndBool, DType::string}}};
constexpr TypeRow kOpenvino1[] = {{"T", published::kOpenvinoAny}};
constexpr auto kOthers = std::to_array<Version>({
    {Framework::standard, 0, "Equal", kStandardAll, kStandardAttributes},
    {Framework::onnx, 1, "Equal", kOnnx1, kLegacyAttributes},
    {Framework::onnx, 7, "Equal", kOnnx1, {}},
    {Framework::onnx, 11, "Equal", kOnnx11, {}},
    {Framework::onnx, 13, "Equal", published::kNumberAndBoolRow, {}},
    {Framework::onnx, 19, "Equal", kOnnx19, {}},
    {Framework::openvino, 1, "Equal", kOpenvino1, kOpenvinoAttributes},
    stablehlo_version("compare_EQ", published::kStablehloRow),
    webnn_version("equal", published::kWebnnRow),
});
constexpr auto kVersions = and_libraries(kOthers, "eq", "equal", kLibraryAny);
constexpr auto kNotEqualOthers = std::to_array<Version>({
    {Framework::standard, 0, "NotEqual", kStandardAll, kStandardAttributes},
    {Framework::openvino, 1, "NotEqual", kOpenvino1, kOpenvinoAttributes},
    stablehlo_version("compare_NE", published::kStablehloRow),
    webnn_version("notEqual", published::kWebnnRow),
});
constexpr auto kNotEqualVersions = and_libraries(kNotEqualOthers, "ne", "not_equal", kLibraryAny);

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
constexpr TypeRow kStandardTypes[] = {{"T", kIntegerTypes}};
constexpr TypeRow kOnnx11[] = {{"T", published::kUnsigned}};
constexpr TypeRow kIntegers[] = {{"T", published::kIntegers}};
// The direction of an operator of OpenVINO, StableHLO and the libraries is its name.
constexpr auto kOthers = std::to_array<Version>({
    {Framework::standard, 0, "BitShift", kStandardTypes, kStandard},
    {Framework::onnx, 11, "BitShift", kOnnx11, kDirection},
    {Framework::openvino, 15, "BitwiseLeftShift", kIntegers, kOpenvinoAttributes},
    {Framework::openvino, 15, "BitwiseRightShift", kIntegers, kOpenvinoAttributes},
    stablehlo_version("shift_left", kIntegers),
    stablehlo_version("shift_right_arithmetic", kIntegers),
    stablehlo_version("shift_right_logical", kIntegers, kLogicalShift),
});
constexpr auto kVersions =
    and_libraries(and_libraries(kOthers, "bitwise_left_shift", "left_shift", kLibraryShifts),
                  "bitwise_right_shift", "right_shift", kLibraryShifts);
constexpr std::string_view kEither[] = {"BitShift"};
constexpr std::string_view kLeftOnly[] = {"BitwiseLeftShift", "bitwise_left_shift"};
constexpr std::string_view kRightOnly[] = {"BitwiseRightShift", "bitwise_right_shift"};
constexpr std::string_view kLibraryLeft[] = {"left_shift"};
constexpr std::string_view kLibraryRight[] = {"right_shift"};
constexpr OperatorName::Preset kLeft = {"direction", "left"};
constexpr OperatorName::Preset kRight = {"direction", "right"};
constexpr std::string_view kShiftLeft[] = {"shift_left"};
constexpr std::string_view kShiftArithmetic[] = {"shift_right_arithmetic"};
constexpr std::string_view kShiftLogical[] = {"shift_right_logical"};
constexpr OperatorName kNames[] = {
    {"bitshift", kEither},
    {"bitwiseleftshift", kLeftOnly, kLeft},
    {"bitwiserightshift", kRightOnly, kRight},
    {"shiftleft", kShiftLeft, kLeft, Framework::stablehlo},
    {"shiftrightarithmetic", kShiftArithmetic, kRight, Framework::stablehlo},
    {"shiftrightlogical", kShiftLogical, kRight, Framework::stablehlo},
    {"leftshift", kLibraryLeft, kLeft, Framework::numpy},
    {"rightshift", kLibraryRight, kRight, Framework::numpy},
    {"leftshift", kLibraryLeft, kLeft, Framework::jax},
    {"rightshift", kLibraryRight, kRight, Framework::jax},
};
constexpr std::string_view kRules[] = {"EW-8"};
constexpr OperandSpec kOperands[] = {
    {"a", "T", OperandRole::data, "T-1", "the integers to shift"},
    {"b", "T", OperandRole::data, "T-1", "the number of bits to shift by, of a's dtype"},
};

BinaryKernel kernel(const Call& call) {
  if (call.get(kDirectionKey) == Direction::left) return kernel_of<ShiftLeft>(call);
  return call.has_trait(kLogicalShift) ? kernel_of<ShiftRightLogical>(call) : kernel_of<ShiftRight>(call);
}

}  // namespace shift

constexpr auto kLessVersions =
    and_libraries(order_versions("Less", "compare_LT", "lesser"), "lt", "less", kLibraryOrdered);
constexpr auto kGreaterVersions =
    and_libraries(order_versions("Greater", "compare_GT", "greater"), "gt", "greater", kLibraryOrdered);
constexpr auto kLessOrEqualVersions =
    and_libraries(or_equal_versions("LessOrEqual", "LessEqual", "compare_LE", "lesserOrEqual"), "le",
                  "less_equal", kLibraryOrdered);
constexpr auto kGreaterOrEqualVersions =
    and_libraries(or_equal_versions("GreaterOrEqual", "GreaterEqual", "compare_GE", "greaterOrEqual"), "ge",
                  "greater_equal", kLibraryOrdered);
constexpr auto kAndVersions = and_libraries(logical_versions("And", "LogicalAnd", "logicalAnd"),
                                            "logical_and", "logical_and", kLibraryBools);
constexpr auto kOrVersions = and_libraries(logical_versions("Or", "LogicalOr", "logicalOr"), "logical_or",
                                           "logical_or", kLibraryBools);
constexpr auto kXorVersions = and_libraries(logical_versions("Xor", "LogicalXor", "logicalXor"),
                                            "logical_xor", "logical_xor", kLibraryBools);
constexpr auto kBitwiseAndVersions =
    and_libraries(bitwise_versions("BitwiseAnd", "and"), "bitwise_and", "bitwise_and", kLibraryBits);
constexpr auto kBitwiseOrVersions =
    and_libraries(bitwise_versions("BitwiseOr", "or"), "bitwise_or", "bitwise_or", kLibraryBits);
constexpr auto kBitwiseXorVersions =
    and_libraries(bitwise_versions("BitwiseXor", "xor"), "bitwise_xor", "bitwise_xor", kLibraryBits);
constexpr OperatorName kEqualNames[] = {
    {"equal"}, {"compareeq", {}, {}, Framework::stablehlo}, {"eq", {}, {}, Framework::torch}};
constexpr OperatorName kNotEqualNames[] = {
    {"notequal"}, {"comparene", {}, {}, Framework::stablehlo}, {"ne", {}, {}, Framework::torch}};
constexpr OperatorName kLessNames[] = {{"less"},
                                       {"comparelt", {}, {}, Framework::stablehlo},
                                       {"lesser", {}, {}, Framework::webnn},
                                       {"lt", {}, {}, Framework::torch}};
constexpr OperatorName kLessOrEqualNames[] = {{"lessorequal"},
                                              {"lessequal"},
                                              {"comparele", {}, {}, Framework::stablehlo},
                                              {"lesserorequal", {}, {}, Framework::webnn},
                                              {"le", {}, {}, Framework::torch}};
constexpr OperatorName kGreaterNames[] = {
    {"greater"}, {"comparegt", {}, {}, Framework::stablehlo}, {"gt", {}, {}, Framework::torch}};
constexpr OperatorName kGreaterOrEqualNames[] = {{"greaterorequal"},
                                                 {"greaterequal"},
                                                 {"comparege", {}, {}, Framework::stablehlo},
                                                 {"ge", {}, {}, Framework::torch}};
constexpr OperatorName kAndNames[] = {{"and"}, {"logicaland"}};
constexpr OperatorName kOrNames[] = {{"or"}, {"logicalor"}};
constexpr OperatorName kXorNames[] = {{"xor"}, {"logicalxor"}};
constexpr OperatorName kBitwiseAndNames[] = {{"bitwiseand"}, {"and", {}, {}, Framework::stablehlo}};
constexpr OperatorName kBitwiseOrNames[] = {{"bitwiseor"}, {"or", {}, {}, Framework::stablehlo}};
constexpr OperatorName kBitwiseXorNames[] = {{"bitwisexor"}, {"xor", {}, {}, Framework::stablehlo}};

}  // namespace

constinit const Operator kEqual = elementwise_operator<kernel_of<Equal>>(
    {"equal", "Whether elements are equal; NaN equals nothing",
     "Whether a == b, as bool. NaN is not equal to any value, and -0.0 equals 0.0.",
     "tensorop equal '[[1,2],[3,4]]' '[1,4]'", kEqualNames, equal::kVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kNotEqual = elementwise_operator<kernel_of<NotEqual>>(
    {"notequal", "Whether elements differ; NaN differs from everything",
     "Whether a != b, as bool: the negation of equal. NaN differs from every value, itself included.",
     "tensorop notequal '[[1,2],[3,4]]' '[1,4]'", kNotEqualNames, equal::kNotEqualVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kLess = elementwise_operator<kernel_of<Less>>(
    {"less", "Whether each element of a is less than that of b",
     "Whether a < b, as bool. The result is false if an operand is NaN. For bool, false is less than true.",
     "tensorop less '[1,2,3]' '[2]'", kLessNames, kLessVersions, kBinaryAttributes, kBinaryOperands});

constinit const Operator kLessOrEqual = elementwise_operator<kernel_of<LessOrEqual>>(
    {"lessorequal", "Whether each element of a is less than or equal to that of b",
     "Whether a <= b, as bool. The result is false if an operand is NaN. For bool, false is less than true.",
     "tensorop lessorequal '[1,2,3]' '[2]'", kLessOrEqualNames, kLessOrEqualVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kGreater = elementwise_operator<kernel_of<Greater>>(
    {"greater", "Whether each element of a is greater than that of b",
     "Whether a > b, as bool. The result is false if an operand is NaN. For bool, false is less than true.",
     "tensorop greater '[1,2,3]' '[2]'", kGreaterNames, kGreaterVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kGreaterOrEqual = elementwise_operator<kernel_of<GreaterOrEqual>>(
    {"greaterorequal", "Whether each element of a is greater than or equal to that of b",
     "Whether a >= b, as bool. The result is false if an operand is NaN. For bool, false is less than true.",
     "tensorop greaterorequal '[1,2,3]' '[2]'", kGreaterOrEqualNames, kGreaterOrEqualVersions,
     kBinaryAttributes, kBinaryOperands});

constinit const Operator kAnd = elementwise_operator<kernel_of_truth<And>>(
    {"and", "Whether both elements are true", "The logical and of two bools.",
     "tensorop and '[[true],[false]]' '[true,false]'", kAndNames, kAndVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kOr = elementwise_operator<kernel_of_truth<Or>>(
    {"or", "Whether at least one of two elements is true", "The logical or of two bools.",
     "tensorop or '[[true],[false]]' '[true,false]'", kOrNames, kOrVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kXor = elementwise_operator<kernel_of_truth<Xor>>(
    {"xor", "Whether exactly one of two elements is true", "The logical exclusive or of two bools.",
     "tensorop xor '[[true],[false]]' '[true,false]'", kXorNames, kXorVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kBitwiseAnd = elementwise_operator<kernel_of<And>>(
    {"bitwiseand", "The bits set in both of two integers",
     "The bits set in both operands. For bool it is the logical and.", "tensorop bitwiseand '[12,10]' '[6]'",
     kBitwiseAndNames, kBitwiseAndVersions, kBinaryAttributes, kBinaryOperands});

constinit const Operator kBitwiseOr = elementwise_operator<kernel_of<Or>>(
    {"bitwiseor", "The bits set in at least one of two integers",
     "The bits set in at least one operand. For bool it is the logical or.",
     "tensorop bitwiseor '[12,10]' '[6]'", kBitwiseOrNames, kBitwiseOrVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kBitwiseXor = elementwise_operator<kernel_of<Xor>>(
    {"bitwisexor", "The bits set in exactly one of two integers",
     "The bits set in exactly one operand. For bool it is the logical exclusive or.",
     "tensorop bitwisexor '[12,10]' '[6]'", kBitwiseXorNames, kBitwiseXorVersions, kBinaryAttributes,
     kBinaryOperands});

constinit const Operator kBitShift = elementwise_operator<shift::kernel>(
    {"bitshift", "Shifts the bits of integers left or right",
     "The bits of a shifted by b bits to the left or to the right. A right shift of a signed integer keeps "
     "its sign, except under the name shift_right_logical of StableHLO.",
     "tensorop bitshift '[1,2,3]' '[4]' --direction left", shift::kNames, shift::kVersions,
     shift::kAttributes, shift::kOperands, shift::kRules, kShiftOpen});

}  // namespace tensorop
