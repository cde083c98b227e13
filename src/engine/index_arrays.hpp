// Names of PyTorch, NumPy and JAX that take a separate operand for each index array: index_put, ufunc_at,
// at_set. A call by such a name is turned into a call with index tuples.
#pragma once

#include "base/files/input_file.hpp"
#include "engine/engine.hpp"
#include "engine/request.hpp"

namespace tensorop {

// Returns the call with index tuples as its operand indices. A single index array is not copied. Several are
// broadcast to each other and take 8 bytes for each index, in memory or, if the settings do not allow so
// much, in a temporary file. Adds the files to `inputs`. Throws Error.
[[nodiscard]] Request with_tuples(Request request, const Settings& settings, Inputs& inputs);

}  // namespace tensorop
