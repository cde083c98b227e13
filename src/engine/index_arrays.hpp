// The names of PyTorch, NumPy and JAX that take one operand for each index array: index_put, ufunc_at,
// at_set. A call by such a name becomes the call with index tuples.
#pragma once

#include "base/files/input_file.hpp"
#include "engine/engine.hpp"
#include "engine/request.hpp"

namespace tensorop {

// The same call by the operator's first name. A single index array is not copied; several are broadcast to
// each other and take 8 bytes of memory for each index. Adds their files to `inputs`. Throws Error.
[[nodiscard]] Request with_tuples(Request request, const Settings& settings, Inputs& inputs);

}  // namespace tensorop
