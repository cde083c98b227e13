// The smallest case of a finding of `check --shrink` as a folder.
#pragma once

#include <functional>
#include <string>

#include "compare/finding.hpp"
#include "jobs/call_text.hpp"

namespace tensorop {

inline constexpr const char* kKeptCases = "cases.jsonl";

// The text of finding.txt; `command` computes the case in its folder.
using KeptText = std::function<std::string(const Finding& finding, const std::string& command)>;

// Writes the smallest case of the finding to an existing folder: kKeptCases, the operands, what is expected
// and what the program has computed. Throws Error.
WrittenCall write_case(const Finding& finding, const std::string& folder);

// Writes the smallest case of the finding to a new folder in `parent`, which is made: write_case(), and
// finding.txt with all that is known of it.
// The folder has the name of the case, with a number if the name is taken. If a folder of that name holds the
// same case, nothing is written. `options` are the options of `check`, with the program. Sets Shrunk::kept
// and Shrunk::command. Throws Error.
void keep_case(Finding& finding, const std::string& parent, const std::string& options, const KeptText& text);

}  // namespace tensorop
