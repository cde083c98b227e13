// The rules that a call must satisfy, by the ids at the end of messages. `explain`, `ops`, the manual pages
// and the docs take their texts from here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ops/operator.hpp"

namespace tensorop {

struct Rule {
  std::string_view id;         // "GN-3"
  std::string_view statement;  // full sentences: the condition that a call must satisfy
  std::string_view published;  // full sentences: who states the rule, and tensorop's decision if nobody does
  // Calls without files, as typed: the first breaks this rule, the second is similar and succeeds.
  std::string_view broken_by;
  std::string_view satisfied_by;
  // Ids that the rule had for other operators. `explain` and expectations of cases accept them.
  WordList formerly = {};
};

// All rules: first the rules of every operator, then family by family.
[[nodiscard]] std::span<const Rule> all_rules();

// Returns the rule with this id, or former id; accepts any case, "[GN-3]" and "gn3". Null: there is none.
[[nodiscard]] const Rule* find_rule(std::string_view id);

// Returns the rules that a call of the operator can break, in the order of all_rules().
[[nodiscard]] std::vector<const Rule*> rules_of(const Operator& op);

// Whether the text has the form of an id, such as "IX-1": capital letters, digits and a "-".
[[nodiscard]] bool is_rule_id(std::string_view text);

}  // namespace tensorop
