// A comparison as text for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compare/compare.hpp"

namespace tensorop {

// One line if all elements are equal or within tolerance, else a few lines. `only_moves`: suggests no
// tolerance, because a wrong value was selected.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool only_moves = false);

// What would make the tensors pass in place of the options that were given: the limits of metrics that they
// exceed, and whether elements need another tolerance too. Nothing: neither helps.
struct NeededLimits {
  std::optional<double> max_rms = {};
  std::optional<double> min_cosine = {};
  bool needs_tolerance = false;
};
[[nodiscard]] std::optional<NeededLimits> needed_limits(const Comparison& comparison);

// Whether the dtype has tolerances, a distance in ulp, and exact distances.
[[nodiscard]] bool has_tolerance(const Comparison& comparison);
[[nodiscard]] bool has_ulp(const Comparison& comparison);
[[nodiscard]] bool is_integer(const Comparison& comparison);

[[nodiscard]] double percent_of(std::int64_t part, std::int64_t whole);

// At most four significant digits; no sign of zero.
[[nodiscard]] std::string short_number(double value);

// float64 reads it back exactly.
[[nodiscard]] std::string number_text(double value);

}  // namespace tensorop
