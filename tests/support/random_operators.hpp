// Random calls of every operator. Each function draws a call with a result of some `elements`, or a small one
// for 0; most are valid, the others break any of the operator's rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/random_case.hpp"

namespace tensorop {

[[nodiscard]] RandomCase gather_case(Random& random, std::int64_t elements);
[[nodiscard]] RandomCase gather_elements_case(Random& random, std::int64_t elements);
[[nodiscard]] RandomCase gather_nd_case(Random& random, std::int64_t elements);

[[nodiscard]] RandomCase scatter_elements_case(Random& random, std::int64_t elements);
[[nodiscard]] RandomCase scatter_update_case(Random& random, std::int64_t elements);
[[nodiscard]] RandomCase scatter_nd_case(Random& random, std::int64_t elements);

[[nodiscard]] RandomCase expand_case(Random& random, std::int64_t elements);
[[nodiscard]] RandomCase broadcast_case(Random& random, std::int64_t elements);

// Of any of `ops`, which are binary, or min and max.
[[nodiscard]] RandomCase elementwise_case(Random& random, const std::vector<std::string>& ops,
                                          std::int64_t elements);
[[nodiscard]] RandomCase where_case(Random& random, std::int64_t elements);

}  // namespace tensorop
