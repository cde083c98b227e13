// Cases of broken rules: a call as a user types it, and the line and the hint that must come of it.
#pragma once

#include <string>
#include <vector>

#include "engine/request.hpp"

namespace tensorop {

struct RuleCase {
  // Words with spaces between: operator, operands, options. An option other than --data, --indices,
  // --updates, --spec, --oob, --dtype and --dry-run is an attribute.
  std::string call;
  std::string message;  // the whole line, the rule id at its end
  std::string hint = {};
};

// The rule at the end of a message: "[IX-1]" without the brackets.
[[nodiscard]] std::string rule_of(const std::string& message);

[[nodiscard]] Request parse_call(const std::string& call);

// Runs every case; each must fail with its message and its hint.
void check_messages(const std::vector<RuleCase>& cases);

// The same, and with the rule the message ends with, which is among those of the operator.
void check_rules(const std::vector<RuleCase>& cases);

// The cases of the families.
[[nodiscard]] std::vector<RuleCase> common_rules();
[[nodiscard]] std::vector<RuleCase> gather_rules();
[[nodiscard]] std::vector<RuleCase> scatter_rules();
[[nodiscard]] std::vector<RuleCase> broadcast_rules();

}  // namespace tensorop
