// Options that earlier versions had, each with the call that does the same now. They are no options: help,
// completion and manual pages do not know them.
#pragma once

#include <string_view>

namespace tensorop {

// The hint for `word` ("--why", "--explain-plan=json") of the command of that name; empty: it was never
// removed.
[[nodiscard]] std::string_view removed_hint(std::string_view command, std::string_view word);

}  // namespace tensorop
