// Ranges in place of indices: "2:10", "-1000:", "::2", "::-1", with the meaning of NumPy's slices.
#pragma once

#include "engine/index_forms.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Makes operand 1 of the call from the range, clipped to the axis. Throws Error if the axis is out of range,
// or memory does not hold the positions.
void apply_range(const IndexRange& range, RangeForm form, Call& call);

}  // namespace tensorop
