// Smaller calls of a call: fewer dimensions, smaller sizes, default attributes, a simpler dtype, simpler
// values. Knows no operator: which of them are calls at all, the operator's own checks say.
#pragma once

#include <vector>

#include "jobs/loaded_call.hpp"

namespace tensorop {

// Calls of lower cost (call_cost.hpp), by ascending cost. Many of them are no valid calls.
[[nodiscard]] std::vector<LoadedCall> reductions(const LoadedCall& call);

}  // namespace tensorop
