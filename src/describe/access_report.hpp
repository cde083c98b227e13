// Reports how a call reads operands that may not fit in memory, as text (--explain-plan).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/access.hpp"
#include "engine/executor.hpp"

namespace tensorop {

// Returns the access and the reason for it. If the access is windows, a second line has their number, and the
// bytes that they read and write.
[[nodiscard]] std::vector<std::string> access_lines(const AccessReport& report);

// Returns a line for each rank with the bytes that it has read, sent and written for a result.
[[nodiscard]] std::vector<std::string> rank_lines(std::span<const RankCost> costs);

}  // namespace tensorop
