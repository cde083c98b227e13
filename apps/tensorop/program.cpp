#include "program.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"

namespace tensorop {
namespace {

constexpr int kFailure = 2;
constexpr const char* kListHint = "run tensorop --help for a list";

std::vector<std::string> command_names() {
  std::vector<std::string> names = operator_names();
  for (const CommandEntry& entry : kCommands) names.emplace_back(entry.name);
  return names;
}

// The position of the command: global options may come before it.
std::size_t find_command(const Words& args) {
  std::size_t i = 0;
  while (i < args.size() && args[i].starts_with('-')) {
    const std::vector<Option> options = global_options();
    const auto option = std::ranges::find(options, args[i], &Option::name);
    i += option != options.end() && option->kind == OptionKind::value ? 2U : 1U;
  }
  return std::min(i, args.size());
}

int run_command(const Command& command, const Arguments& arguments) {
  if (arguments.has("--help")) {
    print_help(command);
    return 0;
  }
  return arguments.has("--version") ? print_version() : command.run(arguments);
}

int run(const Words& args) {
  const std::size_t at = find_command(args);
  if (at == args.size()) {
    const Arguments arguments = parse_arguments(args, global_options());
    if (arguments.has("--help")) {
      print_program_help();
      return 0;
    }
    if (arguments.has("--version")) return print_version();
    throw Error("no operator or command given", "", kListHint);
  }
  const std::string& name = args[at];
  Words rest(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(at));
  rest.insert(rest.end(), args.begin() + static_cast<std::ptrdiff_t>(at) + 1, args.end());
  for (const CommandEntry& entry : kCommands) {
    if (entry.name != name) continue;
    return with_context(name, [&] {
      const Command command = entry.describe();
      return run_command(command, parse_arguments(rest, all_options(command)));
    });
  }
  if (const FoundOperator found = find_operator(name); found.op != nullptr) {
    const Command command = operator_command(found);
    // Later errors name the operator themselves.
    return run_command(
        command, with_context(command.name, [&] { return parse_arguments(rest, all_options(command)); }));
  }
  const std::string near = nearest(name, command_names());
  throw Error(cat("unknown operator or command ", in_quotes(name)), "",
              near.empty() ? kListHint : cat("did you mean ", near, "?"));
}

// Allocates no memory: there may be none.
int report(const char* message, const char* hint = "") {
  std::fprintf(stderr, "tensorop: %s\n", message);
  if (*hint != '\0') std::fprintf(stderr, "hint: %s\n", hint);
  return kFailure;
}

}  // namespace

void report_error(const Error& error) {
  report(error.what(), error.hint().c_str());
}

int run_program(std::span<const char* const> args) {
  try {
    return run({args.begin(), args.end()});
  } catch (const Error& error) {
    report_error(error);
    return kFailure;
  } catch (const std::bad_alloc&) {
    return report("out of memory");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tensorop: internal error: %s\n", error.what());
    return kFailure;
  }
}

}  // namespace tensorop
