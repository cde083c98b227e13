// The commands by name; `help` and `version`; the options of a command under headings.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/files/output_file.hpp"
#include "base/process/terminal.hpp"
#include "base/text/error.hpp"
#include "base/text/json.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "describe/describe.hpp"
#include "engine/version.hpp"
#include "io/npz/deflate_queue.hpp"
#include "io/opened_file.hpp"
#include "ops/foreign_names.hpp"
#include "ops/publisher.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kListHint = "run tensorop --help for a list";

// Returns `text` from a column on, with all later lines indented to that column.
std::string hanging(std::string_view text, std::size_t column) {
  std::string out;
  for (const char c : wrapped(text, static_cast<std::size_t>(text_columns()) - column)) {
    out += c;
    if (c == '\n') out.append(column, ' ');
  }
  return out + '\n';
}

// Returns a term, and its meaning in a column of its own.
std::string definition(std::string_view term, std::string_view meaning, std::size_t column) {
  std::string text = cat("  ", term);
  const bool fits = text.size() + 2 <= column;
  if (!fits) text += '\n';
  text.append(fits ? column - text.size() : column, ' ');
  return text + hanging(meaning, column);
}

std::string option_lines(const Option& option) {
  constexpr std::size_t kColumn = 26;
  return definition(usage_of(option), meaning_of(option), kColumn);
}

std::string paragraph(std::string_view text) {
  return hanging(text, 0);
}

int run_help(const Arguments& arguments) {
  arguments.refuse_operands_after(1, "help takes one command");
  arguments.operands.empty() ? print_program_help()
                             : print(help_text(require_command(arguments.operands[0])));
  return 0;
}

int run_version(const Arguments& arguments) {
  if (!arguments.operands.empty()) throw Error(cat("unexpected operand ", in_quotes(arguments.operands[0])));
  return print_version();
}

// Returns a hint with another meaning of an unknown name.
std::string hint_for(std::string_view name) {
  if (std::string hint = foreign_hint(name); !hint.empty()) return hint;
  if (names_file(Operand::of_path(std::string(name))))
    return cat("tensorop info ", printable(name), " describes the file");
  // Names such as "np.where" or "torch.gather".
  const std::string last(name.substr(std::min(name.rfind('.'), name.size() - 1) + 1));
  if (name.find('.') != std::string_view::npos && find_command(last)) return cat("did you mean ", last, "?");
  const std::string near = nearest(name, command_names());
  return near.empty() ? std::string(kListHint) : cat("did you mean ", near, "?");
}

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names = operator_names();
  for (const CommandEntry& entry : kCommands) {
    if (entry.is_listed) names.emplace_back(entry.name);
  }
  return names;
}

std::optional<Command> find_command(std::string_view name, std::string_view spec) {
  for (const CommandEntry& entry : kCommands) {
    if (entry.name == name) return entry.describe();
  }
  if (const FoundOperator found = find_operator(name, spec); found.op != nullptr)
    return operator_command(found);
  return std::nullopt;
}

Command require_command(std::string_view name, std::string_view spec) {
  if (auto command = find_command(name, spec)) return *std::move(command);
  throw Error(cat("unknown operator or command ", in_quotes(name)), "", hint_for(name));
}

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  commands.reserve(std::size(kOperators) + std::size(kCommands));
  for (const Operator* op : kOperators) commands.push_back(operator_command({op, op->names.data()}));
  for (const CommandEntry& entry : kCommands) {
    if (entry.is_listed) commands.push_back(entry.describe());
  }
  return commands;
}

std::vector<Option> joined(std::initializer_list<std::vector<Option>> lists) {
  std::vector<Option> out;
  for (const std::vector<Option>& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> options = command.options;
  // "why add" is the command of `why` for an operator.
  const std::string_view name = command.name;
  const auto* const entry =
      std::ranges::find(kCommands, name.starts_with(kWhy) ? kWhy : name, &CommandEntry::name);
  const Globals globals = entry == std::end(kCommands) ? Globals::all : entry->globals;
  for (Option& option : global_options()) {
    const bool is_progress = option.name == "--progress";
    const bool is_used = option.name == "--help" || option.name == "--version" || globals == Globals::all ||
                         (globals == Globals::without_progress && !is_progress);
    if (is_used && std::ranges::find(command.options, option.name, &Option::name) == command.options.end())
      options.push_back(std::move(option));
  }
  return options;
}

std::size_t command_position(const Words& words) {
  const std::vector<Option> options = global_options();
  std::size_t i = 0;
  while (i < words.size() && words[i].starts_with('-')) {
    const auto option = std::ranges::find(options, words[i], &Option::name);
    i += option != options.end() && option->takes_value() ? 2U : 1U;
  }
  return std::min(i, words.size());
}

std::string_view spec_of(const Words& words) {
  constexpr std::string_view kSpec = "--spec";
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view word = words[i];
    if (word == kSpec && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(cat(kSpec, "="))) return word.substr(kSpec.size() + 1);
  }
  return {};
}

std::vector<OptionGroup> option_groups(const Command& command) {
  std::vector<OptionGroup> groups;
  for (std::size_t i = 0; i < kHeadingCount; ++i) groups.push_back({static_cast<Heading>(i), {}});
  for (Option& option : all_options(command))
    groups[static_cast<std::size_t>(option.heading)].options.push_back(std::move(option));
  std::erase_if(groups, [](const OptionGroup& group) { return group.options.empty(); });
  return groups;
}

std::string help_text(const Command& command) {
  std::string text;
  for (const std::string& example : command.examples) text += cat("  ", example, '\n');
  text += cat("\n", paragraph(cat(command.summary, ".")), "\n");
  std::string_view lead = "Usage: ";
  for (const std::string& usage : command.usages) {
    text += cat(lead, hanging(cat("tensorop ", usage), lead.size()));
    lead = "       ";
  }
  for (const OptionGroup& group : option_groups(command)) {
    text += cat("\n", title(group.heading), ":\n");
    for (const Option& option : group.options) text += option_lines(option);
  }
  if (const Operator* op = command.op; op != nullptr && !command.name.starts_with(kWhy)) {
    const std::string ids = join(rules_of(*op), ", ", [](const Rule* rule) { return rule->id; });
    text += cat('\n', paragraph(op->meaning), "\n", paragraph(describe_output_shape(*op)), "\n",
                paragraph(cat("Rules (see tensorop explain RULE): ", ids)),
                "Versions and dtypes: tensorop ops ", op->name, "\n");
  }
  return text;
}

namespace {

// A family of operators, with its line in the help of the program.
struct Family {
  std::string_view name;
  std::string_view meaning;
};
constexpr Family kFamilies[] = {
    {"gather", "take slices or elements of data, at positions that indices give"},
    {"scatter", "write updates into a copy of data, at positions that indices give"},
    {"slices", "take or write windows of data, as StableHLO does"},
    {"broadcast", "repeat data to a shape"},
    {"concat", "join tensors along an axis"},
    {"elementwise", "arithmetic, comparisons, logic and bits of tensors that broadcast"},
    {"where", "take each element from one tensor or another, by a condition"},
};

// Returns the names of a family's operators, and their purpose.
std::string family_lines(const Family& family) {
  std::string names;
  for (const Operator* op : kOperators) {
    if (op->family == family.name) names += cat(names.empty() ? "" : ", ", op->name);
  }
  return cat("  ", hanging(names, 2), "      ", hanging(family.meaning, 6));
}

}  // namespace

std::string_view first_sentence(std::string_view summary) {
  return summary.substr(0, summary.find(". "));
}

std::string program_summary() {
  return cat("Gathers, scatters, joins, broadcasts and compares tensors in files, as ", publisher_titles(),
             " define it");
}

void print_program_help() {
  constexpr std::size_t kColumn = 14;
  std::string text =
      cat("  tensorop gathernd --data a.npy --indices i.npy -o out.npy\n"
          "  tensorop gather '[[1,2],[3,4]]' '[1]' --axis 1\n"
          "  tensorop compare out.npy golden.npy --tolerance auto\n"
          "  tensorop scatternd --help\n"
          "\n",
          paragraph(program_summary() + "."),
          "\n"
          "Usage: tensorop OPERATOR OPERAND... [OPTION]... [-o FILE]\n"
          "       tensorop COMMAND ...\n"
          "\n"
          "Operators:\n");
  for (const Family& family : kFamilies) text += family_lines(family);
  text += "\nCommands:\n";
  for (const CommandEntry& entry : kCommands) {
    if (entry.is_listed) text += definition(entry.name, first_sentence(entry.describe().summary), kColumn);
  }
  text += cat("\n", title(Heading::globals), ":\n");
  for (const Option& option : global_options()) text += option_lines(option);
  print(text);
}

int print_version() {
  print(cat("tensorop " TENSOROP_VERSION " (", compression_library(), ", ", parser_library(), ", ",
            json_library(), ")\n"));
  return 0;
}

Command help_command() {
  return {"help",
          {"help [COMMAND]"},
          "Prints help, as --help does",
          {"tensorop help gather", "tensorop help"},
          {},
          run_help};
}

Command version_command() {
  return {"version", {"version"}, "Prints the version, as --version does", {"tensorop version"},
          {},        run_version};
}

}  // namespace tensorop
