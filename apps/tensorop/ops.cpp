// `ops`: what is implemented, from the operators' descriptions. `explain`: the rules that messages name, and
// the terms of the glossary.
#include <algorithm>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/version.hpp"
#include "glossary.hpp"
#include "glossary_rows.hpp"
#include "report/describe.hpp"

namespace tensorop {

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

namespace {

// "2,3", "(2,3)", "[2,3]"; "[]" is rank 0.
Shape read_shape(const std::string& text) {
  std::string_view dims = text;
  const bool in_brackets = dims.size() >= 2 && ((dims.front() == '[' && dims.back() == ']') ||
                                                (dims.front() == '(' && dims.back() == ')'));
  if (in_brackets) dims = dims.substr(1, dims.size() - 2);
  Shape shape;
  if (in_brackets && dims.empty()) return shape;
  for (const std::string& dim : split(dims, ",")) {
    const auto size = parse_int64(dim);
    if (!size || *size < 0 || shape.size() == kMaxRank)
      throw Error(
          cat("shape ", in_quotes(text), " is not a list of at most ", kMaxRank, " dimensions, as 2,3"));
    shape.push_back(*size);
  }
  return shape;
}

int print_shapes(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() < 3 || find_operator(words[0]).op != find_operator("broadcast").op)
    throw Error("--shapes takes broadcast and at least two shapes", "",
                "tensorop ops broadcast --shapes 2,3 3");
  std::vector<Shape> shapes;
  for (std::size_t i = 1; i < words.size(); ++i) shapes.push_back(read_shape(words[i]));
  print(arguments.has("--json") ? broadcast_json(shapes) : broadcast_text(shapes));
  return 0;
}

int print_diff(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() != 3)
    throw Error("--diff takes an operator and two versions", "",
                "tensorop ops gather --diff onnx-11 onnx-13");
  const FoundOperator found = require_operator(words[0], publisher_in(words[1]));
  const auto version = [&](const std::string& spec) -> const Version& {
    const bool is_default = fold_name(spec) == "default";
    return find_version(*found.op, *found.name, is_default ? Spec{} : parse_spec(spec));
  };
  const Version& from = version(words[1]);
  const Version& to = version(words[2]);
  print(arguments.has("--json") ? describe_diff_json(*found.op, from, to)
                                : describe_diff(*found.op, from, to));
  return 0;
}

int run_ops(const Arguments& arguments) {
  const bool is_question = arguments.has("--diff") || arguments.has("--shapes");
  arguments.refuse_beside("--diff", {"--shapes"});
  arguments.refuse_beside("--markdown", {"--diff", "--shapes"});
  if (is_question) return arguments.has("--diff") ? print_diff(arguments) : print_shapes(arguments);
  std::vector<const Operator*> chosen;
  for (const std::string& name : arguments.operands) {
    chosen.push_back(require_operator(name).op);
  }
  arguments.refuse_beside("--json", {"--markdown"});
  const bool all = chosen.empty();
  if (all) chosen.assign(kOperators.begin(), kOperators.end());
  if (arguments.has("--json")) {
    print(describe_json(chosen));
  } else if (arguments.has("--markdown")) {
    for (const Operator* op : chosen) print(describe_markdown(*op));
  } else {
    for (const Operator* op : chosen) print(all ? describe_line(*op) : describe_text(*op));
  }
  return 0;
}

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

Command ops_command() {
  return {"ops",
          {"ops [OPERATOR]... [--json|--markdown]", "ops OPERATOR --diff SPEC SPEC [--json]",
           "ops broadcast --shapes SHAPE SHAPE... [--json]"},
          "Lists the operators with their versions, attributes and dtypes",
          {"tensorop ops", "tensorop ops gathernd", "tensorop ops --json",
           "tensorop ops gather --diff onnx-11 onnx-13", "tensorop ops broadcast --shapes 2,3 3"},
          {
              {"--diff", OptionKind::flag, "",
               "what two versions of an operator differ in, each named as for --spec, or default"},
              {"--shapes", OptionKind::flag, "",
               "which broadcasting rules accept shapes, and the shape of the result or the reason"},
              {"--json", OptionKind::flag, "", "print JSON, for programs"},
              {"--markdown", OptionKind::flag, "", "print the tables of the docs"},
          },
          run_ops};
}

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
