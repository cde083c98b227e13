// `ops`: what is implemented, from the operators' descriptions.
#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/describe.hpp"

namespace tensorop {

int run_ops(const Words& args) {
  std::vector<Option> options = {
      {"--json", OptionKind::flag, "", "as JSON, for programs"},
      {"--markdown", OptionKind::flag, "", "the tables of the docs"},
  };
  for (Option& option : global_options()) options.push_back(std::move(option));
  const Arguments arguments = parse_arguments(args, options);
  if (arguments.has("--help")) {
    print_help({"ops [OPERATOR]... [--json]",
                "Lists the operators with their versions, attributes and dtypes",
                {"tensorop ops", "tensorop ops gathernd", "tensorop ops --json"}},
               options);
    return 0;
  }
  if (arguments.has("--version")) return print_version();
  std::vector<const Operator*> chosen;
  for (const std::string& name : arguments.operands) {
    const FoundOperator found = find_operator(name);
    if (found.op == nullptr) {
      const std::string near = nearest(name, operator_names());
      throw Error(cat("no operator ", printable(name)), "",
                  near.empty() ? "" : cat("did you mean ", near, "?"));
    }
    chosen.push_back(found.op);
  }
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

}  // namespace tensorop
