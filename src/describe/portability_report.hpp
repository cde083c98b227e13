// Reports on one call under several versions, as text and as JSON.
#pragma once

#include <string>

#include "base/text/json.hpp"
#include "explain/portability.hpp"

namespace tensorop {

[[nodiscard]] std::string portability_text(const Portability& found);
// Objects: the verdict of one version; all verdicts with the results.
[[nodiscard]] Json verdict_json(const VersionVerdict& verdict);
[[nodiscard]] Json portability_json(const Portability& found);

}  // namespace tensorop
