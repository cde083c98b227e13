#include "io/json_syntax.hpp"

#include "base/text.hpp"

namespace tensorop {

Error json_syntax_error(std::string_view message, const std::string& token, std::int64_t lines_before) {
  const auto drop_through = [&](std::string_view mark) {
    const std::size_t at = message.find(mark);
    if (at == std::string_view::npos) return std::string_view{};
    const std::string_view before = message.substr(0, at);
    message.remove_prefix(at + mark.size());
    return before;
  };
  drop_through("parse error at line ");
  const std::int64_t line = parse_int64(drop_through(", ")).value_or(0);
  const std::string where = cat("line ", line + lines_before, ", ", drop_through(": syntax error "));
  drop_through(" - ");
  std::string out = cat("malformed JSON at ", where, ": ");
  const std::string last_read = cat("; last read: '", token, "'");
  const std::size_t at = message.find(last_read);
  if (at != std::string_view::npos) {
    out += message.substr(0, at);
    message.remove_prefix(at + last_read.size());
    // The end of the token is where the fault lies.
    constexpr std::size_t kMostBytes = 24;
    std::string_view end = token;
    // Before a literal nlohmann keeps what it read since the last number or string.
    if (out.ends_with("literal") && end.size() > 1) {
      end.remove_prefix(end.find_last_of(" <>,:[]{}\"", end.size() - 2) + 1);
    }
    const bool cut = end.size() > kMostBytes;
    if (cut) end.remove_prefix(end.size() - kMostBytes);
    while (end.size() > 1 && (static_cast<unsigned char>(end[0]) & 0xC0) == 0x80) end.remove_prefix(1);
    out += cat(" (last read: '", cut ? "..." : "", printable(end), "')");
  }
  return Error(out + std::string(message));
}

}  // namespace tensorop
