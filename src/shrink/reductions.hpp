// Smaller calls of a call, in its version: fewer dimensions, smaller sizes, default attributes, a simpler
// dtype, simpler values. Knows no operator: the operator's own checks refuse calls that are invalid.
#pragma once

#include <vector>

#include "jobs/loaded_call.hpp"

namespace tensorop {

// Calls of lower cost (call_cost.hpp), by ascending cost. Many of them are invalid.
[[nodiscard]] std::vector<LoadedCall> reductions(const LoadedCall& call);

}  // namespace tensorop
