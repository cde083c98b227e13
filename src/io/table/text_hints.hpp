// Hints for text that is not a table of numbers: the text found in place of a number, and the remedy.
#pragma once

#include <string_view>

namespace tensorop {

// The hint for a field that is not a number, by its form; empty if there is none.
[[nodiscard]] std::string_view hint_of_field(std::string_view field);

// hint_of_field() for the first field of a text that begins with `text`. If the first line has words and the
// next line numbers, the hint removes the first line.
[[nodiscard]] std::string_view hint_of_first_field(std::string_view text);

}  // namespace tensorop
