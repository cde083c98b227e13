// Random calls of every operator, as support/operator_facts.hpp says.
#pragma once

#include <cstdint>
#include <string>

#include "support/random_case.hpp"

namespace tensorop {

[[nodiscard]] RandomCase gather_case(Random& random, const std::string& op, std::int64_t elements);
[[nodiscard]] RandomCase gather_elements_case(Random& random, const std::string& op, std::int64_t elements);
[[nodiscard]] RandomCase gather_nd_case(Random& random, const std::string& op, std::int64_t elements);

[[nodiscard]] RandomCase scatter_elements_case(Random& random, const std::string& op, std::int64_t elements);
[[nodiscard]] RandomCase scatter_update_case(Random& random, const std::string& op, std::int64_t elements);
[[nodiscard]] RandomCase scatter_nd_case(Random& random, const std::string& op, std::int64_t elements);

[[nodiscard]] RandomCase tensor_scatter_case(Random& random, const std::string& op, std::int64_t elements);

// gatherslices, scatterslices, dynamicslice and dynamicupdateslice.
[[nodiscard]] RandomCase slices_case(Random& random, const std::string& op, std::int64_t elements);

[[nodiscard]] RandomCase expand_case(Random& random, const std::string& op, std::int64_t elements);
[[nodiscard]] RandomCase broadcast_case(Random& random, const std::string& op, std::int64_t elements);

// Binary operators, and min and max.
[[nodiscard]] RandomCase elementwise_case(Random& random, const std::string& op, std::int64_t elements);
[[nodiscard]] RandomCase where_case(Random& random, const std::string& op, std::int64_t elements);

}  // namespace tensorop
