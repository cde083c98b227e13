// All operators: src/README.md says what a new one needs.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.hpp"

namespace tensorop {

// The operators, in the order in which help and docs list them.
// clang-format off
#define TENSOROP_OPERATORS(ROW)                                                                      \
  ROW(kGather) ROW(kGatherElements) ROW(kGatherNd)                                                   \
  ROW(kScatterElements) ROW(kScatterNd) ROW(kScatterUpdate) ROW(kTensorScatter)                      \
  ROW(kGatherSlices) ROW(kScatterSlices) ROW(kDynamicSlice) ROW(kDynamicUpdateSlice)                 \
  ROW(kBroadcast) ROW(kExpand) ROW(kConcat)                                                          \
  ROW(kAdd) ROW(kSub) ROW(kMul) ROW(kDiv) ROW(kPow) ROW(kMod) ROW(kFloorMod) ROW(kSquaredDifference) \
  ROW(kPrelu) ROW(kMin) ROW(kMax) ROW(kEqual) ROW(kNotEqual) ROW(kLess) ROW(kLessOrEqual)            \
  ROW(kGreater) ROW(kGreaterOrEqual) ROW(kAnd) ROW(kOr) ROW(kXor)                                    \
  ROW(kBitwiseAnd) ROW(kBitwiseOr) ROW(kBitwiseXor) ROW(kBitShift) ROW(kWhere)
// clang-format on

#define TENSOROP_DECLARATION(op) extern const Operator op;
TENSOROP_OPERATORS(TENSOROP_DECLARATION)
#undef TENSOROP_DECLARATION
#define TENSOROP_ADDRESS(op) &(op),
inline constexpr std::array kOperators = {TENSOROP_OPERATORS(TENSOROP_ADDRESS)};
#undef TENSOROP_ADDRESS

struct FoundOperator {
  const Operator* op = nullptr;
  const OperatorName* name = nullptr;  // the name by which it was found
};

// Finds the operator of a call by its name, ignoring case, '-' and '_', and by the text of its --spec; `op`
// is null if there is none. Names that only the spec's publisher has take precedence; under "all" those of
// any publisher are found too. Nothing else of the spec is read: find_version() (engine/version.hpp) checks
// it.
[[nodiscard]] FoundOperator find_operator(std::string_view name, std::string_view spec = {});

// Like find_operator(), but throws Error if there is none, with the nearest name as a hint.
[[nodiscard]] FoundOperator require_operator(std::string_view name, std::string_view spec = {});

// Returns all names of all operators, except names that only one publisher has.
[[nodiscard]] std::vector<std::string> operator_names();

}  // namespace tensorop
