// Calls as text, for tests.
#pragma once

#include <string>

#include "engine/request.hpp"

namespace tensorop {

// The rule at the end of a message: "[IX-1]" without the brackets.
[[nodiscard]] std::string rule_of(const std::string& message);

// Words with spaces between: operator, operands, options. An option other than --data, --indices, --updates,
// --mask, --reshape, --spec, --oob, --dtype and --dry-run is an attribute.
[[nodiscard]] Request parse_call(const std::string& call);

}  // namespace tensorop
