// The tables of the docs that come from descriptions: of operators, of rules, of options, of other libraries'
// calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// Three tables of one operator: operands, attributes (if it has any), versions. Of several operators the
// attributes in a table with equal rows joined, and a table of the versions without their dtypes.
[[nodiscard]] std::string operators_markdown(const std::vector<std::string>& names);

// A table of the rules of these ids.
[[nodiscard]] std::string rules_markdown(const std::vector<std::string>& ids);

// A table of the options of a command, without those of every command; of no command: of these. Options that
// `other`, if it is a command, has too are left out. `page` is the text of the page: an option that is a link
// there stays one.
[[nodiscard]] std::string options_markdown(const std::string& command, const std::string& other,
                                           const std::string& page);

// A table of a library's calls and of the commands that do the same.
[[nodiscard]] std::string foreign_markdown(std::string_view library);

}  // namespace tensorop
