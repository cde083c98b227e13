// The terms of docs/glossary.md, for `explain`. The page is a part of the program.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tensorop {

struct Term {
  std::string_view names;  // "unidirectional, one-way"
  std::string_view meaning;
};
[[nodiscard]] std::span<const Term> glossary_terms();

// "NAMES: MEANING" of the term of that name, in any case, '-', '_' and blanks ignored, in lines; empty where
// there is none.
[[nodiscard]] std::string topic_text(std::string_view name);

}  // namespace tensorop
