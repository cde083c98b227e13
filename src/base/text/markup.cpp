#include "base/text/markup.hpp"

#include <algorithm>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

std::string escaped(std::string_view text, std::string_view line_end) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    if (character == "&") {
      out += "&amp;";
    } else if (character == "<") {
      out += "&lt;";
    } else if (character == ">") {
      out += "&gt;";
    } else if (character == "\"") {
      out += "&quot;";
    } else if (character == "\n") {
      out += line_end;
    } else if (character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") {
      out += "\xEF\xBF\xBD";
    } else {
      out += length <= 1 ? printable(character) : std::string(character);
    }
  }
  return out;
}

std::string markdown_escaped(std::string_view text) {
  constexpr std::string_view kPlain = " ,./=+()%:;-";
  std::string out;
  for (const char c : escaped(text, " ")) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= 0x80 || (c >= '0' && c <= '9') ||
                          ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '&' || c == '#' ||
                          kPlain.find(c) != std::string_view::npos;
    out += is_plain ? std::string(1, c) : cat("&#", static_cast<int>(byte), ";");
  }
  return out;
}

std::string padded(std::string_view text, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, text.size()), ' ');
  return to_the_right ? cat(blanks, text) : cat(text, blanks);
}

void append_column(const std::vector<std::string>& cells, std::vector<std::string>& lines) {
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i] += cat(lines[i].empty() ? "" : "  ", padded(cells[i], width, true));
}

}  // namespace tensorop
