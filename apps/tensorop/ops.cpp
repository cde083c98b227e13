// `ops`: what is implemented, from the operators' descriptions.
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "report/describe.hpp"

namespace tensorop {

namespace {

int run_ops(const Arguments& arguments) {
  std::vector<const Operator*> chosen;
  for (const std::string& name : arguments.operands) {
    chosen.push_back(require_operator(name).op);
  }
  if (arguments.has("--json") && arguments.has("--markdown"))
    throw Error("--json cannot be combined with --markdown");
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
          {"ops [OPERATOR]... [--json|--markdown]"},
          "Lists the operators with their versions, attributes and dtypes",
          {"tensorop ops", "tensorop ops gathernd", "tensorop ops --json"},
          {
              {"--json", OptionKind::flag, "", "print JSON, for programs"},
              {"--markdown", OptionKind::flag, "", "print the tables of the docs"},
          },
          run_ops};
}

}  // namespace tensorop
