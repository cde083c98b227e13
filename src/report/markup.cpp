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

namespace {

// Bytes that a terminal or a report cannot show as they are: printf writes them, which every shell has.
std::string printed_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./=+,:@ ";
  std::string out = "\"$(printf '";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
                          kPlain.find(c) != std::string_view::npos;
    const char octal[] = {'\\', static_cast<char>('0' + (byte >> 6)),
                          static_cast<char>('0' + (byte >> 3 & 7)), static_cast<char>('0' + (byte & 7))};
    out += is_plain ? std::string(1, c) : std::string(octal, sizeof octal);
  }
  return out + "')\"";
}

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./=+-,:@%";
  const auto is_plain = [&](char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           kPlain.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (!is_utf8(text) || std::ranges::any_of(text, is_control)) return printed_word(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace tensorop
