// Explains elements of a finding, with one sentence each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compare/finding.hpp"
#include "engine/settings.hpp"

namespace tensorop {

// A sentence for each of these positions in the result of Finding::call. Computes the result again as far as
// needed; a scatter reads its indices once for all positions. Empty if no call is known, it fails, its files
// are missing, or a position is outside its result. Never throws.
[[nodiscard]] std::vector<std::string> why_sentences(const Finding& finding, const Settings& settings,
                                                     std::span<const std::vector<std::int64_t>> positions);

// Sets the sentence of each differing element that a finding lists.
void explain_elements(Finding& finding, const Settings& settings);

}  // namespace tensorop
