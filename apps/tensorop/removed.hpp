// Options of earlier versions, each with the call that does the same now. They are not options any more:
// help, completion and manual pages do not list them.
#pragma once

#include <string_view>

namespace tensorop {

// Returns the hint for `word` ("--why", "--explain-plan=json") of the command `command`; empty: it is no
// removed option.
[[nodiscard]] std::string_view removed_hint(std::string_view command, std::string_view word);

}  // namespace tensorop
