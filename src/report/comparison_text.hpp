// A comparison as text to read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "golden/compare.hpp"

namespace tensorop {

// A line when all elements are equal or within tolerance, else a few. `only_moves`: no tolerance is offered
// for a value that is the wrong one.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool only_moves = false);

// "[2,3]": the position of an element.
[[nodiscard]] std::string position_text(const std::vector<std::int64_t>& position);

}  // namespace tensorop
