// A mask in place of indices, in the default semantics: the positions of its true elements are the indices.
#pragma once

#include "base/process/threads.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Replaces the mask, operand 1 of the call, by the positions of its true elements. A mask of several
// dimensions selects elements of data's leading dimensions, which become one dimension. Throws Error if the
// mask is not bool or its shape does not fit data's.
void apply_mask(const Threads& threads, Call& call);

}  // namespace tensorop
