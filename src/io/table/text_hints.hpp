// Hints for text that is not a table of numbers: what stands in place of a number, and the remedy.
#pragma once

#include <string_view>

namespace tensorop {

// The hint for a field that is no number, by the form of the field; empty if there is none.
[[nodiscard]] std::string_view hint_of_field(std::string_view field);

// As hint_of_field(), for the first field of a text that begins with `text`. If the first line has words and
// the next one numbers, the hint leaves out the first line.
[[nodiscard]] std::string_view hint_of_first_field(std::string_view text);

}  // namespace tensorop
