#include "support/operand_grammar.hpp"

#include <vector>

#include "base/text/text.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {
namespace {

// Takes digits from the front; false if there are none.
bool take_digits(std::string_view& text) {
  const std::size_t before = text.size();
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') text.remove_prefix(1);
  return text.size() != before;
}

bool take_any(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool is_number(std::string_view text) {
  take_any(text, "-");
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  if (!take_digits(text)) return false;
  if (take_any(text, ".") && !take_digits(text)) return false;
  if (take_any(text, "eE")) {
    take_any(text, "+-");
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

bool is_range(std::string_view text) {
  int colons = 0;
  while (true) {
    const bool is_negative = take_any(text, "-");
    if (!take_digits(text) && is_negative) return false;
    if (text.empty()) return colons == 1 || colons == 2;
    if (!take_any(text, ":")) return false;
    ++colons;
  }
}

}  // namespace

std::string form_by_grammar(const std::string& text) {
  const std::string_view value = trimmed(text);
  const std::string ends = value.size() < 2 ? "" : std::string{value.front(), value.back()};
  if (ends == "[]" || ends == "{}" || ends == "\"\"" || value == "true" || value == "false" ||
      is_number(value))
    return "json";
  if (text == "-") return "-";
  const std::size_t bracket = text.find('[');
  if (bracket != std::string::npos && parse_dtype(text.substr(0, bracket))) {
    const std::size_t at = text.find("]@");
    const std::string path = at == std::string::npos ? "" : text.substr(at + 2);
    if (!path.empty()) return path == "-" ? "raw -" : cat("raw ", path);
    if (text.back() == ']') return cat("abstract ", text);
  }
  if (is_range(text)) return cat("range ", text);
  const bool is_of_number = value.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  const bool is_json =
      !value.empty() && (std::string_view("[{\"").find(value[0]) != std::string_view::npos ||
                         (is_of_number && std::string_view("+.eE").find(value[0]) == std::string_view::npos));
  return cat(is_json ? "file or json " : "file ", text);
}

std::string form_of(const Operand& operand) {
  if (operand.as<InlineJson>() != nullptr) return "json";
  if (operand.as<StandardInput>() != nullptr) return "-";
  const std::string_view kind = operand.as<RawBytes>() != nullptr         ? "raw"
                                : operand.as<AbstractTensor>() != nullptr ? "abstract"
                                : operand.as<RangeText>() != nullptr      ? "range"
                                : operand.may_be_json()                   ? "file or json"
                                                                          : "file";
  return cat(kind, " ", operand.path);
}

}  // namespace tensorop
