// The finding of `check --shrink` (Finding::shrunk) as text and as JSON.
#pragma once

#include <string>

#include "base/text/json.hpp"
#include "compare/finding.hpp"

namespace tensorop {

// Lines. The first one: "gathernd data [[0],[1]] indices [[-1]]: actual [0], expected [1]: out[0] = data[1] =
// 1; indices[0] = -1 -> 1 on axis 0 of size 2".
[[nodiscard]] std::string shrunk_text(const Finding& finding);

[[nodiscard]] Json shrunk_json(const Finding& finding);

// All facts about a finding whose case is kept: finding.txt. Paths are relative to that file, because a kept
// case may be moved. `command` and `options` as in shrink/kept_case.hpp.
[[nodiscard]] std::string kept_text(const Finding& finding, const std::string& command,
                                    const std::string& options);

}  // namespace tensorop
