// The grammar of operands, written a second time, for tests: what a text means before any file is looked for.
#pragma once

#include <string>
#include <string_view>

#include "io/operand.hpp"

namespace tensorop {

// "json", "-", "raw", "raw -", "abstract", "range", "file", or "file or json", and the path if it has one.
[[nodiscard]] std::string form_by_grammar(const std::string& text);
// The same of an operand.
[[nodiscard]] std::string form_of(const Operand& operand);

}  // namespace tensorop
