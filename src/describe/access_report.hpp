// How a call reads what memory does not hold, as text (--explain-plan).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/access.hpp"
#include "engine/executor.hpp"

namespace tensorop {

// The access and the reason for it; where it is windows, a second line with their number and what they read
// and write.
[[nodiscard]] std::vector<std::string> access_lines(const AccessReport& report);

// A line for each rank: what it has done for a result.
[[nodiscard]] std::vector<std::string> rank_lines(std::span<const RankCost> costs);

}  // namespace tensorop
