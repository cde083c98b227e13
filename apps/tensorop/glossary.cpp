#include "glossary.hpp"

#include <algorithm>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "glossary_page.hpp"

namespace tensorop {
namespace {

// "[text](page.md#place)" without its address; ": [text](page.md#place)." at the end is left out.
std::string without_links(std::string_view text) {
  std::string out;
  const std::size_t last = text.rfind(": [");
  if (last != std::string_view::npos && text.ends_with(").") && text.find(')', last) + 2 == text.size())
    return without_links(text.substr(0, last)) + ".";
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    const std::size_t middle = text.find("](", open == std::string_view::npos ? text.size() : open);
    const std::size_t close = text.find(')', middle == std::string_view::npos ? text.size() : middle);
    if (close == std::string_view::npos) return out + std::string(text);
    out += cat(text.substr(0, open), text.substr(open + 1, middle - open - 1));
    text.remove_prefix(close + 1);
  }
  return out;
}

std::string folded_term(std::string_view name) {
  std::string out = fold_name(name);
  std::erase(out, ' ');
  return out;
}

}  // namespace

std::vector<Term> glossary_terms() {
  std::vector<Term> terms;
  std::string_view page = kGlossaryPage;
  // The rows of the table, after its head: "| NAME, NAME | MEANING |".
  for (page.remove_prefix(std::min(page.size(), page.find("| --- |"))); !page.empty();) {
    const std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(page.size(), line.size() + 1));
    const std::size_t end = line.find(" | ", 1);
    if (!line.starts_with("| ") || !line.ends_with(" |") || line.starts_with("| --- ")) continue;
    Term term;
    for (std::string_view names = line.substr(2, end - 2); !names.empty();) {
      const std::size_t comma = std::min(names.find(", "), names.size());
      term.names.emplace_back(names.substr(0, comma));
      names.remove_prefix(std::min(names.size(), comma + 2));
    }
    term.meaning = without_links(line.substr(end + 3, line.size() - end - 5));
    terms.push_back(std::move(term));
  }
  return terms;
}

std::string topic_text(std::string_view name) {
  const std::string wanted = folded_term(name);
  for (const Term& term : glossary_terms()) {
    if (std::ranges::find(term.names, wanted, folded_term) == term.names.end()) continue;
    return wrapped(cat(join(term.names), ": ", term.meaning), static_cast<std::size_t>(text_columns())) +
           "\n";
  }
  return {};
}

}  // namespace tensorop
