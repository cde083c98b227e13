// All operators. An operator is added by its line here, its file beside this one, its docs page and its
// tests.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.hpp"

namespace tensorop {

extern const Operator kGather, kGatherElements, kGatherNd, kScatterElements, kScatterNd, kScatterUpdate,
    kTensorScatter, kGatherSlices, kScatterSlices, kDynamicSlice, kDynamicUpdateSlice, kBroadcast, kExpand,
    kAdd, kSub, kMul, kDiv, kPow, kMod, kFloorMod, kSquaredDifference, kPrelu, kMin, kMax, kEqual, kNotEqual,
    kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kAnd, kOr, kXor, kBitwiseAnd, kBitwiseOr, kBitwiseXor,
    kBitShift, kWhere;

// In the order in which help and docs list them.
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

// The operator of that name, in any case, '-' and '_' ignored; a null `op` when there is none. A name that a
// publisher has for itself is found where that publisher is given, and comes first there.
[[nodiscard]] FoundOperator find_operator(std::string_view name, Framework publisher = Framework::standard);

// The same; throws Error when there is none, with the nearest name as a hint.
[[nodiscard]] FoundOperator require_operator(std::string_view name,
                                             Framework publisher = Framework::standard);

// Every name of every operator that needs no publisher.
[[nodiscard]] std::vector<std::string> operator_names();

}  // namespace tensorop
