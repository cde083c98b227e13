// Hints for text that is not a table of numbers: the text found in place of a number, and the remedy.
#pragma once

#include <string>
#include <string_view>

namespace tensorop {

// The hint for a field of `line` that is not a number, by its form; empty if there is none.
[[nodiscard]] std::string_view hint_of_field(std::string_view field, std::string_view line = {});

// hint_of_field() for the first field of a text that begins with `text`. If the first line has words and the
// next line numbers, the hint removes the first line.
[[nodiscard]] std::string_view hint_of_first_field(std::string_view text);

// The hint for a word, for a complex number, and for a header line above numbers.
inline constexpr std::string_view kLinesHint =
    "--input-format text --dtype string reads each line as a string";
inline constexpr std::string_view kComplexHint =
    "complex numbers are read from NPY and JSON: {\"dtype\":\"complex64\",\"data\":[[1,2]]} is [1+2j]";
inline constexpr std::string_view kHeaderHint =
    "tail -n +2 FILE leaves out a header line: tail -n +2 FILE | tensorop ... -";

// Whether the second line of `text` has only numbers.
[[nodiscard]] bool is_header_of_numbers(std::string_view text);

// How to read the first of several columns, which `separator`, a comma or a tab, separates.
[[nodiscard]] std::string hint_of_columns(char separator, bool has_header);

}  // namespace tensorop
