// Text within XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace tensorop {

// Of XML and HTML, between tags and in quoted attributes: no character of `text` is markup. What XML 1.0
// cannot hold (control characters, bytes that are not UTF-8) becomes text. Line ends are kept as `line_end`.
[[nodiscard]] std::string escaped(std::string_view text, std::string_view line_end = "&#10;");

}  // namespace tensorop
