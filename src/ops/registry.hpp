// All operators. An operator is added by its line here, its file beside this one, its docs page and its
// tests.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.hpp"

namespace tensorop {

extern const Operator kGather;
extern const Operator kGatherElements;
extern const Operator kGatherNd;
extern const Operator kScatterElements;
extern const Operator kScatterNd;
extern const Operator kScatterUpdate;
extern const Operator kBroadcast;
extern const Operator kExpand;

// In the order in which help and docs list them.
inline constexpr std::array kOperators = {
    &kGather,    &kGatherElements, &kGatherNd,  &kScatterElements,
    &kScatterNd, &kScatterUpdate,  &kBroadcast, &kExpand,
};

struct FoundOperator {
  const Operator* op = nullptr;
  const OperatorName* name = nullptr;  // as which it was found
};

// The operator of that name, in any case, '-' and '_' ignored; a null `op` where there is none.
[[nodiscard]] FoundOperator find_operator(std::string_view name);

// Every name of every operator.
[[nodiscard]] std::vector<std::string> operator_names();

}  // namespace tensorop
