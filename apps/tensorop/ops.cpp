// `ops`: what is implemented, from the operators' descriptions.
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/version.hpp"
#include "glossary.hpp"
#include "report/describe.hpp"

namespace tensorop {

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

}  // namespace tensorop
