// All operators. A new operator needs its line here, its file in this folder, its docs page and its tests.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.hpp"

namespace tensorop {

extern const Operator kGather, kGatherElements, kGatherNd, kScatterElements, kScatterNd, kScatterUpdate,
    kTensorScatter, kGatherSlices, kScatterSlices, kDynamicSlice, kDynamicUpdateSlice, kBroadcast, kExpand,
    kConcat, kAdd, kSub, kMul, kDiv, kPow, kMod, kFloorMod, kSquaredDifference, kPrelu, kMin, kMax, kEqual,
    kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kAnd, kOr, kXor, kBitwiseAnd, kBitwiseOr,
    kBitwiseXor, kBitShift, kWhere;

// The operators, in the order in which help and docs list them.
inline constexpr std::array kOperators = {
    &kGather,
    &kGatherElements,
    &kGatherNd,
    &kScatterElements,
    &kScatterNd,
    &kScatterUpdate,
    &kTensorScatter,
    &kGatherSlices,
    &kScatterSlices,
    &kDynamicSlice,
    &kDynamicUpdateSlice,
    &kBroadcast,
    &kExpand,
    &kConcat,
    &kAdd,
    &kSub,
    &kMul,
    &kDiv,
    &kPow,
    &kMod,
    &kFloorMod,
    &kSquaredDifference,
    &kPrelu,
    &kMin,
    &kMax,
    &kEqual,
    &kNotEqual,
    &kLess,
    &kLessOrEqual,
    &kGreater,
    &kGreaterOrEqual,
    &kAnd,
    &kOr,
    &kXor,
    &kBitwiseAnd,
    &kBitwiseOr,
    &kBitwiseXor,
    &kBitShift,
    &kWhere,
};

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
