// Why the elements of a finding are what they are: a sentence for each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compare/finding.hpp"
#include "engine/settings.hpp"

namespace tensorop {

// A sentence for each of these positions of the result of Finding::call, which is computed again as far as
// they need it: a scatter reads its indices once for all of them. Empty if no call is known, it fails, its
// files are gone, or a position is not one of its result. Never throws.
[[nodiscard]] std::vector<std::string> why_sentences(const Finding& finding, const Settings& settings,
                                                     std::span<const std::vector<std::int64_t>> positions);

// Gives each differing element that a finding lists its sentence.
void explain_elements(Finding& finding, const Settings& settings);

}  // namespace tensorop
