// Reports of one call under several versions, as text and as JSON.
#pragma once

#include <string>

#include "engine/portability.hpp"

namespace tensorop {

[[nodiscard]] std::string portability_text(const Portability& found);
// A line.
[[nodiscard]] std::string portability_json(const Portability& found);

}  // namespace tensorop
