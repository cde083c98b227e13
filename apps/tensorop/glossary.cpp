#include "glossary.hpp"

#include <algorithm>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "glossary_rows.hpp"

namespace tensorop {

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string_view::npos;
       text.remove_prefix(std::min(text.size(), at + separator.size()))) {
    at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
  }
  return parts;
}

std::span<const Term> glossary_terms() {
  return kGlossary;
}

std::string topic_text(std::string_view name) {
  const auto folded = [](std::string_view word) {
    std::string out = fold_name(word);
    std::erase(out, ' ');
    return out;
  };
  for (const Term& term : kGlossary) {
    const std::vector<std::string> names = split(term.names, ", ");
    if (std::ranges::find(names, folded(name), folded) == names.end()) continue;
    return wrapped(cat(term.names, ": ", term.meaning), static_cast<std::size_t>(text_columns())) + "\n";
  }
  return {};
}

}  // namespace tensorop
