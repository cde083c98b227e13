// Text within XML, HTML and Markdown, and in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tensorop {

// Of XML and HTML, between tags and in quoted attributes: no character of `text` is markup. What XML 1.0
// cannot hold (control characters, bytes that are not UTF-8) becomes text. Line ends are kept as `line_end`.
[[nodiscard]] std::string escaped(std::string_view text, std::string_view line_end = "&#10;");

// Of Markdown, within a line of a table: no character is markup of Markdown or HTML either.
[[nodiscard]] std::string markdown_escaped(std::string_view text);

// The text with blanks after it, or before it, up to so many bytes.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width, bool to_the_right = false);

}  // namespace tensorop
