// Changes to calls that src/generate draws: what it never draws itself.
#pragma once

#include "generate/random.hpp"
#include "support/reference.hpp"

namespace tensorop {

// Changes the call, at times, to one of the same operator and version that is as valid as it was, but for
// some index values: rare shapes and attributes, and indices that are out of range or at the ends of their
// dtype.
void vary_call(Random& random, reference::Arguments& arguments);

}  // namespace tensorop
