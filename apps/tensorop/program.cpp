#include "program.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <span>

#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/process/exit_cleanup.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "engine/version.hpp"
#include "team.hpp"

namespace tensorop {
namespace {

constexpr int kFailure = 2;

int run_command(const Command& command, const Arguments& arguments) {
  if (arguments.has("--help")) {
    print(help_text(command));
    return 0;
  }
  return arguments.has("--version") ? print_version() : command.run(arguments);
}

// Runs a command in one process: the first of a team.
int run_alone(const Command& command, const Arguments& arguments) {
  if (arguments.team == nullptr) return run_command(command, arguments);
  int status = 0;
  Arguments own = arguments;
  own.is_for_one = true;
  alone(arguments, [&] { status = run_command(command, own); });
  return status;
}

void check_options(const Arguments& arguments) {
  if (arguments.has("--help") || arguments.has("--version")) return;
  together(arguments, [&] { require_options(arguments); });
}

// Parses the arguments; an error in them is an error of all processes.
Arguments parse(const Words& words, const std::vector<Option>& options, std::string_view command,
                const Team* team) {
  Arguments arguments;
  arguments.team = team;
  together(arguments, [&] {
    arguments = parse_arguments(words, options, command);
    arguments.team = team;
  });
  return arguments;
}

int run_program_option(const Words& args, const Team* team) {
  const Arguments arguments = parse(args, global_options(), "", team);
  if (arguments.has("--version")) return print_version();
  together(arguments, [&] {
    if (!arguments.has("--help"))
      throw Error("no operator or command given", "", "run tensorop --help for a list");
  });
  print_program_help();
  return 0;
}

// Returns `why` for the operator that comes first in `words`, and removes it; otherwise for job files.
Command take_why_command(Words& words) {
  const std::size_t at = command_position(words);
  if (at == words.size()) return why_command();
  const FoundOperator found = find_operator(words[at], spec_of(words));
  if (found.op == nullptr) {
    if (find_member(Operand::of_path(words[at]), file_exists) || file_exists(words[at]) ||
        std::ranges::find(words, "--job") != words.end())
      return why_command();
    (void)require_command(words[at]);  // suggests other meanings
    throw Error(cat(in_quotes(words[at]), " is not an operator"), "", "tensorop ops lists the operators");
  }
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  return why_command(found);
}

int run(const Words& args, const Team* team) {
  const std::size_t at = command_position(args);
  if (at == args.size()) return run_program_option(args, team);
  Words rest(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(at));
  rest.insert(rest.end(), args.begin() + static_cast<std::ptrdiff_t>(at) + 1, args.end());
  Command command;
  Arguments none;
  none.team = team;
  together(none, [&] {
    command = require_command(args[at], spec_of(rest));
    if (command.name == kWhy) command = with_context(kWhy, [&] { return take_why_command(rest); });
  });
  const Arguments arguments =
      with_context(command.name, [&] { return parse(rest, all_options(command), command.name, team); });
  const auto entry = std::ranges::find(kCommands, command.name, &CommandEntry::name);
  const bool is_why = command.name.starts_with(kWhy);
  if (entry == std::end(kCommands) || !entry->reports)
    with_context(is_why ? kWhy : command.name, [&] { check_options(arguments); });
  if (is_why) return with_context(kWhy, [&] { return run_alone(command, arguments); });
  // An operator adds its own name to later errors.
  if (command.op != nullptr) return run_command(command, arguments);
  return with_context(command.name, [&] {
    return entry->by_team ? run_command(command, arguments) : run_alone(command, arguments);
  });
}

// The next file to be opened would get the number of a closed standard stream, and would then be read as
// standard input or written to as standard output. A descriptor of the wrong direction in its place fails if
// it is used.
void hold_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

// Allocates no memory, because there may be none.
void report(const char* message, const char* details = "", const char* hint = "") {
  wait_if_ending();
  std::fprintf(stderr, "tensorop: %s\n%s", message, details);
  if (*hint != '\0') std::fprintf(stderr, "hint: %s\n", hint);
}

}  // namespace

void report_error(const Failure& error) {
  report(error.what(), indented(error.details()).c_str(), error.hint().c_str());
}

int run_program(std::span<const char* const> args, const Team* team, std::string* failure) {
  const auto note = [&](const char* message) {
    if (failure != nullptr) *failure = message;
  };
  try {
    const int status = run({args.begin(), args.end()}, team);
    wait_if_ending();
    return status;
  } catch (const Failure& error) {
    report_error(error);
    note(error.what());
  } catch (const std::bad_alloc&) {
    report("out of memory");
    note("out of memory");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tensorop: internal error: %s\n", error.what());
    note(error.what());
  }
  return kFailure;
}

void prepare_process() {
  hold_standard_descriptors();
  // Writing past the file size limit must be an ordinary error (EFBIG).
  ::signal(SIGXFSZ, SIG_IGN);
#ifdef M_MMAP_THRESHOLD
  // Blocks of a mebibyte are returned to the system when they are freed. By default glibc keeps blocks
  // smaller than the largest freed so far, up to 32 MiB each: --memory would count them twice.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

}  // namespace tensorop
