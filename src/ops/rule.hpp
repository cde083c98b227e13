// The rules that a call must satisfy, by the ids that messages end with: what `explain`, `ops`, the manual
// pages and the docs say of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ops/operator.hpp"

namespace tensorop {

struct Rule {
  std::string_view id;         // "GN-3"
  std::string_view statement;  // full sentences: what a call must satisfy
  std::string_view published;  // full sentences: who states it, and what tensorop decided where nobody does
  // Calls without files, as typed: the first breaks this rule, the second is nearly the same and succeeds.
  std::string_view broken_by;
  std::string_view satisfied_by;
  // The ids that it had for other operators. They stand for it in `explain` and in expectations of cases.
  WordList formerly = {};
};

// In the order of the specification: common rules, then family by family.
[[nodiscard]] std::span<const Rule> all_rules();

// The rule that has or had that id: in any case, "[GN-3]" and "gn3" as well. Null: there is none.
[[nodiscard]] const Rule* find_rule(std::string_view id);

// The rules that a call of the operator can break, in the order of all_rules().
[[nodiscard]] std::vector<const Rule*> rules_of(const Operator& op);

// Whether the text has the form of an id ("IX-1"): capital letters, digits and a "-".
[[nodiscard]] bool is_rule_id(std::string_view text);

}  // namespace tensorop
