// Pieces that reports share.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tensorop {

// Each line indented by two spaces.
[[nodiscard]] std::string indented(std::string_view lines);

// The error as the program reports it: its line, and one with the hint.
[[nodiscard]] std::string error_lines(const Failure& error);
// {"rule":...,"message":...,"hint":...}
[[nodiscard]] std::string error_json(const Failure& error);

}  // namespace tensorop
