#include "base/text/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.hpp"

namespace tensorop {

Failure::Failure(std::string message, std::string_view rule, std::string hint, std::string details)
    : line_(std::move(message)), rule_(rule), hint_(std::move(hint)), details_(std::move(details)) {
  if (!rule_.empty()) line_ += cat(" [", rule_, "]");
}

void Failure::add_context(std::string_view context) {
  line_ = cat(context, ": ", line_);
}

void Failure::add_hint(std::string_view hint) {
  if (hint_.empty()) hint_ = hint;
}

std::string in_quotes(std::string_view text) {
  return cat("'", printable(text), "'");
}

std::string indented(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    out += cat("  ", lines.substr(0, end));
    lines.remove_prefix(end);
  }
  return out;
}

namespace {

// Characters that change the display order of other characters (Unicode property Bidi_Control).
bool is_bidi_control(std::string_view character) {
  constexpr std::pair<std::string_view, std::string_view> kRanges[] = {
      {"\u061C", "\u061C"}, {"\u200E", "\u200F"}, {"\u202A", "\u202E"}, {"\u2066", "\u2069"}};
  return std::ranges::any_of(
      kRanges, [&](const auto& range) { return character >= range.first && character <= range.second; });
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t kMostCharacters = 200;
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  // Fast path: most texts need no escaping, and a listing prints tens of thousands of them.
  if (text.size() <= kMostCharacters && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string out;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == kMostCharacters) return out + "...";
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    // U+0080..U+009F are control characters too: their UTF-8 is C2 80 .. C2 9F.
    const bool c1_control = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte == '\r') {
      out += "\\r";
    } else if (length == 0 || byte < 0x20 || byte == 0x7F || c1_control ||
               is_bidi_control(text.substr(0, length))) {
      out += cat("\\x", hex(byte, 2));
      text.remove_prefix(1);
      continue;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace tensorop
