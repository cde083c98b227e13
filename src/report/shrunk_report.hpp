// What `check --shrink` has found (Finding::shrunk): as text, as JSON, and as a folder with a case.
#pragma once

#include <string>

#include "golden/finding.hpp"
#include "report/json.hpp"

namespace tensorop {

// Lines. The first one: "gathernd data [[0],[1]] indices [[-1]]: actual [0], expected [1]: out[0] = data[1] =
// 1; indices[0] = -1 -> 1 on axis 0 of size 2".
[[nodiscard]] std::string shrunk_text(const Finding& finding);

[[nodiscard]] Json shrunk_json(const Finding& finding);

// Writes the smallest case of the finding to a new folder in `parent`, which is made: cases.jsonl, the
// operands, what is expected, what the program has computed, and finding.txt with all that is known of it.
// The folder has the name of the case, with a number where there is another one of that name; one that holds
// the same case is kept, and nothing is written. `options` are those of `check`, with the program. Sets
// Shrunk::kept and Shrunk::command. Throws Error.
void keep_shrunk(Finding& finding, const std::string& parent, const std::string& options);

}  // namespace tensorop
