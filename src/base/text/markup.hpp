// Escapes text for XML, HTML and Markdown, and pads columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// Escapes text for XML and HTML, between tags and in quoted attributes. Characters that XML 1.0 cannot hold
// (control characters, invalid UTF-8) become text. Line ends become `line_end`.
[[nodiscard]] std::string escaped(std::string_view text, std::string_view line_end = "&#10;");

// Escapes text for a line of a Markdown table; HTML markup is escaped too.
[[nodiscard]] std::string markdown_escaped(std::string_view text);

// Pads the text with blanks after it, or before it, to `width` bytes.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width, bool to_the_right = false);

// Appends a right-aligned column to the lines: one cell to each.
void append_column(const std::vector<std::string>& cells, std::vector<std::string>& lines);

}  // namespace tensorop
