// `explain`: the rules that messages name, from their descriptions.
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "glossary.hpp"
#include "report/describe.hpp"

namespace tensorop {

namespace {

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const Rule& rule : all_rules()) ids.emplace_back(rule.id);
  return ids;
}

// What else `id` may have been meant to be: an operator, a family of rules, a rule of a similar id.
std::string hint_for(const std::string& id) {
  if (const FoundOperator found = find_operator(id); found.op != nullptr)
    return cat("explain takes the id of a rule, such as GN-3; tensorop ops ", found.name->name,
               " describes the operator");
  const std::string folded = fold_name(id);
  std::vector<std::string> family;
  for (std::string& known : rule_ids()) {
    if (!folded.empty() && fold_name(known).starts_with(folded)) family.push_back(std::move(known));
  }
  if (!family.empty()) return cat("did you mean ", join_words(family, "or"), "?");
  std::string upper = id;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::string near = nearest(upper, rule_ids());
  return cat(near.empty() ? "" : cat("did you mean ", near, "? "), "tensorop explain lists all rules");
}

const Rule* require_rule(const std::string& id) {
  if (const Rule* rule = find_rule(id)) return rule;
  throw Error(cat("unknown rule ", in_quotes(id)), "", hint_for(id));
}

int run_explain(const Arguments& arguments) {
  std::vector<const Rule*> chosen;
  arguments.refuse_beside("--json", {"--markdown"});
  std::string text;  // of terms of the glossary
  for (const std::string& id : arguments.operands) {
    const std::string topic = find_rule(id) == nullptr ? topic_text(id) : "";
    if (!topic.empty() && (arguments.has("--json") || arguments.has("--markdown")))
      throw Error(cat(in_quotes(id), " is a term of the glossary: --json and --markdown are for rules"));
    topic.empty() ? chosen.push_back(require_rule(id)) : static_cast<void>(text += topic);
  }
  const bool all = arguments.operands.empty();
  if (all) {
    for (const Rule& rule : all_rules()) chosen.push_back(&rule);
  }
  if (arguments.has("--json")) {
    print(describe_json(chosen));
    return 0;
  }
  if (arguments.has("--markdown")) {
    print(describe_markdown(chosen));
    return 0;
  }
  for (const Rule* rule : chosen) {
    if (!all && !text.empty()) text += '\n';
    text += all ? cat(describe_line(*rule), "\n") : describe_text(*rule);
  }
  print(text);
  return 0;
}

}  // namespace

Command explain_command() {
  return {"explain",
          {"explain [RULE|TERM]... [--json|--markdown]"},
          "Explains the rules that error messages name, with calls that break them, and the terms of the "
          "glossary",
          {"tensorop explain GN-3", "tensorop explain pdpd", "tensorop explain",
           "tensorop explain BC-M1 BC-U2 --json"},
          {
              {"--json", OptionKind::flag, "", "print JSON, for programs"},
              {"--markdown", OptionKind::flag, "", "print the tables of the docs"},
          },
          run_explain};
}

}  // namespace tensorop
