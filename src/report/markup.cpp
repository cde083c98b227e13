#include "report/markup.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

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
    } else if (length == 0 || character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") {
      out += "\xEF\xBF\xBD";
    } else {
      out += length == 1 ? printable(character) : std::string(character);
    }
  }
  return out;
}

}  // namespace tensorop
