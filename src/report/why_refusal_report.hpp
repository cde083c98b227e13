// Why a call is refused, in words and for programs.
#pragma once

#include <string>

#include "engine/why_refusal.hpp"

namespace tensorop {

// Lines: the rule, the index at fault, the version, and the versions that accept and refuse the call. Empty
// where nothing is known but the error.
[[nodiscard]] std::string refusal_text(const Refusal& refusal);

// The same for programs, with the error: one object.
[[nodiscard]] std::string refusal_json(const Refusal& refusal);

}  // namespace tensorop
