// A comparison as text to read.
#pragma once

#include <cstdint>
#include <string>

#include "compare/compare.hpp"

namespace tensorop {

// A line when all elements are equal or within tolerance, else a few. `only_moves`: no tolerance is offered
// for a value that is the wrong one.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool only_moves = false);

// Whether elements of its dtype have tolerances, a distance in ulp, and exact distances.
[[nodiscard]] bool has_tolerance(const Comparison& comparison);
[[nodiscard]] bool has_ulp(const Comparison& comparison);
[[nodiscard]] bool is_integer(const Comparison& comparison);

[[nodiscard]] double percent_of(std::int64_t part, std::int64_t whole);

// float64 reads it back exactly.
[[nodiscard]] std::string number_text(double value);

}  // namespace tensorop
