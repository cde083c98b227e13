// `ops`: lists the operators that are implemented. `explain`: explains the rules that messages name, the
// attributes of operators, and operators.
#include <algorithm>

#include "base/files/output_file.hpp"
#include "base/process/terminal.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "describe/describe.hpp"
#include "engine/version.hpp"
#include "explain/verdicts.hpp"

namespace tensorop {
namespace {

int print_diff(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() != 3)
    throw Error("--diff takes an operator and two versions", "",
                "tensorop ops gather --diff onnx-11 onnx-13");
  const FoundOperator found = require_operator(words[0], words[1]);
  const auto version = [&](const std::string& word) -> const Version& {
    Request request;
    request.op = found;
    if (fold_name(word) != "default") request.spec = word;
    if (const Version* const own = version_of(request)) return *own;
    for (const OperatorName& name : found.op->names) {
      request.op.name = &name;
      if (const Version* const other = version_of(request)) return *other;
    }
    return find_version(found, request.spec);
  };
  const Version& from = version(words[1]);
  const Version& to = version(words[2]);
  print(describe_diff(*found.op, from, to));
  return 0;
}

int print_operators(const Arguments& arguments) {
  std::vector<const Operator*> chosen;
  for (const std::string& name : arguments.operands) {
    chosen.push_back(require_operator(name).op);
  }
  const bool all = chosen.empty();
  if (all) chosen.assign(kOperators.begin(), kOperators.end());
  if (arguments.has("--json")) {
    print(describe_json(chosen));
  } else {
    for (const Operator* op : chosen) print(all ? describe_line(*op) : describe_text(*op));
  }
  return 0;
}

int run_ops(const Arguments& arguments) {
  if (arguments.has("--diff")) return print_diff(arguments);
  return with_json_error(arguments, [&] { return print_operators(arguments); });
}

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const Rule& rule : all_rules()) ids.emplace_back(rule.id);
  return ids;
}

// Suggests a meaning of an unknown `word`: a family of rules, a rule with a similar id, the value of an
// attribute.
std::string hint_for(const std::string& word) {
  const std::string folded = fold_name(word);
  std::vector<std::string> family;
  for (std::string& known : rule_ids()) {
    if (!folded.empty() && fold_name(known).starts_with(folded)) family.push_back(std::move(known));
  }
  if (!family.empty()) return cat("did you mean ", join_words(family, "or"), "?");
  std::vector<std::string> attributes;  // attributes that have the value
  for (const Operator* op : kOperators) {
    for (const AttributeSpec& spec : op->attributes) {
      const std::vector<std::string> values = words_of(spec.choices);
      const bool has_value = std::ranges::find(values, folded, fold_name) != values.end();
      if (has_value && std::ranges::find(attributes, spec.name) == attributes.end())
        attributes.emplace_back(spec.name);
    }
  }
  if (!attributes.empty())
    return cat(word, " is a value of ", join_words(attributes, "and"), ": tensorop explain ",
               join(attributes, " "));
  std::string upper = word;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::string near = nearest(upper, rule_ids());
  if (!near.empty()) return cat("did you mean ", near, "? tensorop explain lists all rules");
  return "tensorop explain lists all rules, tensorop ops NAME the attributes of an operator";
}

// A meaning of an option, and the operators that give it this meaning.
struct Meaning {
  Option option;
  std::vector<std::string> operators;
};

std::vector<Meaning> meanings_of(const std::string& word) {
  std::vector<Meaning> out;
  for (const Operator* op : kOperators) {
    for (const Option& option : call_options({op, op->names.data()})) {
      if (fold_name(option.name) != fold_name(word)) continue;
      auto same = std::ranges::find_if(out, [&](const Meaning& known) {
        return meaning_of(known.option) == meaning_of(option) && known.option.value == option.value;
      });
      if (same == out.end()) same = out.insert(out.end(), Meaning{option, {}});
      same->operators.emplace_back(op->name);
    }
  }
  return out;
}

std::string meaning_text(const Meaning& meaning) {
  const Option& option = meaning.option;
  const bool has_all = meaning.operators.size() == kOperators.size();
  const auto paragraph = [](const std::string& text) {
    return cat("  ", wrapped(text, static_cast<std::size_t>(text_columns()) - 2, 2), "\n");
  };
  return cat(usage_of(option), "\n", paragraph(meaning_of(option)),
             paragraph(cat("Operators: ", has_all ? "all" : join(meaning.operators))));
}

// Explains a rule, or everything else with this name: an attribute and an operator may share a name.
std::string explain_word(const std::string& word) {
  if (const Rule* rule = find_rule(word)) return describe_text(*rule);
  std::vector<std::string> parts;
  for (const Meaning& meaning : meanings_of(word)) parts.push_back(meaning_text(meaning));
  if (const FoundOperator found = find_operator(word); found.op != nullptr)
    parts.push_back(help_text(operator_command(found)));
  if (parts.empty())
    throw Error(cat("unknown rule, attribute or operator ", in_quotes(word)), "", hint_for(word));
  return join(parts, "\n");
}

int run_explain(const Arguments& arguments) {
  if (arguments.operands.empty()) {
    for (const Rule& rule : all_rules()) print(cat(describe_line(rule), "\n"));
    return 0;
  }
  std::vector<std::string> parts;
  for (const std::string& word : arguments.operands) parts.push_back(explain_word(word));
  print(join(parts, "\n"));
  return 0;
}

}  // namespace

Command ops_command() {
  return {"ops",
          {"ops [OPERATOR]... [--json]", "ops OPERATOR --diff SPEC SPEC"},
          "Lists the operators with their versions, attributes and dtypes",
          {"tensorop ops", "tensorop ops gathernd", "tensorop ops --json",
           "tensorop ops gather --diff onnx-11 onnx-13"},
          {
              {"--diff", Heading::others, "",
               "what two versions of an operator differ in, each named as for --spec, or default",
               OptionRules{.excludes = "--json", .hint = "tensorop ops OPERATOR --json has all versions"}},
              json_option("print JSON, for programs"),
          },
          run_ops};
}

Command explain_command() {
  return {"explain",
          {"explain [RULE|ATTRIBUTE|OPERATOR]..."},
          "Explains rules that messages name, attributes, and operators. A rule has a call that breaks it "
          "and one that "
          "satisfies it; an attribute may mean something else in each operator",
          {"tensorop explain GN-3", "tensorop explain batch_dims", "tensorop explain gathernd",
           "tensorop explain"},
          {},
          run_explain};
}

}  // namespace tensorop
