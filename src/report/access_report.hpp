// How a call reads what memory does not hold, as text (--explain-plan).
#pragma once

#include <string>
#include <vector>

#include "engine/access.hpp"

namespace tensorop {

// The access and the reason for it; where it is windows, a second line with their number and what they read
// and write.
[[nodiscard]] std::vector<std::string> access_lines(const AccessReport& report);

}  // namespace tensorop
