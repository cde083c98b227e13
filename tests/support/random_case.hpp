// Random calls that the engine and the reference can both be made of. They are those of src/generate under
// any version, and what it leaves out: large operands, rare shapes, index values out of any range.
#pragma once

#include <cstdint>
#include <string>

#include "engine/request.hpp"
#include "generate/values.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct RandomCase {
  Request request;  // with operands in memory
  reference::Arguments arguments;
};

// A call of `op` whose largest tensor has some `elements`, or a small one for 0: most are valid, the others
// break any of the operator's rules that the reference knows.
[[nodiscard]] RandomCase random_call(Random& random, const std::string& op, std::int64_t elements);

// `rank` dimensions, with about `elements` elements; 0: few.
[[nodiscard]] Shape random_shape(Random& random, std::int64_t rank, std::int64_t elements = 0);

}  // namespace tensorop
