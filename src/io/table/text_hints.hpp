// What a text that is no table of numbers has in place of a number, and what to do about it.
#pragma once

#include <string_view>

namespace tensorop {

// The hint for a field that is no number, by the form of the field; empty if there is none.
[[nodiscard]] std::string_view hint_of_field(std::string_view field);

// The same for the first field of a text, which begins with `text`: of a line of words above numbers, the one
// that leaves out the line.
[[nodiscard]] std::string_view hint_of_first_field(std::string_view text);

}  // namespace tensorop
