// The names of PyTorch, NumPy and JAX that take one operand for each index array: index_put, ufunc_at,
// at_set. A call by such a name becomes the call with index tuples.
#pragma once

#include "base/files/input_file.hpp"
#include "engine/engine.hpp"
#include "engine/request.hpp"

namespace tensorop {

// The same call with index tuples for its operand indices. A single index array is not copied; several are
// broadcast to each other and take 8 bytes for each index, in memory or, where that is more than the settings
// allow, in a temporary file. Adds the files to `inputs`. Throws Error.
[[nodiscard]] Request with_tuples(Request request, const Settings& settings, Inputs& inputs);

}  // namespace tensorop
