#include "report/report_lines.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "report/json_object.hpp"

namespace tensorop {
namespace {

std::string string_or_null(std::string_view text) {
  return text.empty() ? "null" : json_string(text);
}

}  // namespace

std::string indented(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    out += cat("  ", lines.substr(0, end));
    lines.remove_prefix(end);
  }
  return out;
}

std::string error_lines(const Failure& error) {
  const std::string hint = error.hint().empty() ? "" : cat("hint: ", error.hint(), "\n");
  return cat(std::string_view(error.what()), "\n", hint);
}

std::string error_json(const Failure& error) {
  return JsonObjectText()
      .add("rule", string_or_null(error.rule()))
      .add("message", json_string(error.what()))
      .add("hint", string_or_null(error.hint()))
      .text();
}

}  // namespace tensorop
