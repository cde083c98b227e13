// A comparison as text for people.
#pragma once

#include <cstdint>
#include <string>

#include "compare/compare.hpp"

namespace tensorop {

// One line if all elements are equal or within tolerance, else a few lines. `only_moves`: suggests no
// tolerance, because a wrong value was selected.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool only_moves = false);

// Whether the dtype has tolerances, a distance in ulp, and exact distances.
[[nodiscard]] bool has_tolerance(const Comparison& comparison);
[[nodiscard]] bool has_ulp(const Comparison& comparison);
[[nodiscard]] bool is_integer(const Comparison& comparison);

[[nodiscard]] double percent_of(std::int64_t part, std::int64_t whole);

// Returns five significant digits, for tables; "-" for NaN.
[[nodiscard]] std::string five_digits(double value);

// float64 reads it back exactly.
[[nodiscard]] std::string number_text(double value);

}  // namespace tensorop
