// `lookup`: the positions of ids among keys.
#include "engine/positions.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"

namespace tensorop {
namespace {

// Whether the first of two choices is given, or none.
bool read_first_choice(const Arguments& arguments, std::string_view option, std::string_view first,
                       std::string_view second) {
  const auto text = arguments.value(option);
  if (!text || *text == first) return true;
  if (*text == second) return false;
  throw Error(cat(option, " ", in_quotes(*text), " is not one of ", first, ", ", second));
}

int run_lookup(const Arguments& arguments) {
  const Words& operands = arguments.operands;
  if (operands.size() > 2)
    throw Error(cat("unexpected operand ", in_quotes(operands[2]), ": lookup takes 2"));
  if (operands.size() < 2) throw Error(cat("operand ", operands.empty() ? "keys" : "ids", " is missing"));
  const LookupRules rules{.missing = read_first_choice(arguments, "--missing", "error", "-1"),
                          .duplicates = read_first_choice(arguments, "--duplicates", "error", "first")};
  const Destination destination = read_destination(arguments);
  const MeteredSettings settings(arguments, destination.path);
  write_lookup({operands[0], operands[1], rules, read_input_format(arguments)}, destination, settings.get());
  return 0;
}

std::vector<Option> lookup_options() {
  std::vector<Option> options = {
      {"--missing", OptionKind::value, "error|-1",
       "what an id is that is not among the keys: an error (default), or position -1"},
      {"--duplicates", OptionKind::value, "error|first",
       "what an id is whose key is duplicated: an error (default), or the first position"},
      input_option(),
  };
  for (Option& option : output_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace

Command lookup_command() {
  return {"lookup",
          {"lookup KEYS IDS [--missing error|-1] [--duplicates error|first] [-o FILE]"},
          "Prints the position of each id among the keys, as indices in the shape of IDS: integers by value "
          "whatever their dtypes, or strings; KEYS has rank 1 and any order",
          {"tensorop lookup '[1001,1003,1007]' '[1007,1003]'",
           "tensorop lookup keys.npy ids.npy --missing -1 -o positions.npy"},
          lookup_options(),
          run_lookup};
}

}  // namespace tensorop
