// The tables of the docs that come from descriptions: of operators, of options, of other libraries' calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// A table of the versions of operators; operators with the same versions share a row.
[[nodiscard]] std::string operators_markdown(const std::vector<std::string>& names);

// A table of the options of a command, without those of every command; of no command: of these. `page` is the
// text of the page: an option that is a link there stays one.
[[nodiscard]] std::string options_markdown(const std::string& command, const std::string& page);

// A table of a library's calls and of the commands that do the same.
[[nodiscard]] std::string foreign_markdown(std::string_view library);

}  // namespace tensorop
