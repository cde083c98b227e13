// The program: the command is found by its name and run; whatever goes wrong is one line and exit status 2.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"

namespace tensorop {
namespace {

constexpr int kFailure = 2;

std::vector<std::string> command_names() {
  std::vector<std::string> names = operator_names();
  for (const CommandEntry& entry : kCommands) names.emplace_back(entry.name);
  return names;
}

// Where the command stands: global options may come before it.
std::size_t find_command(const Words& args) {
  std::size_t i = 0;
  while (i < args.size() && args[i].starts_with('-')) {
    i += args[i] == "--threads" || args[i] == "--progress" ? 2U : 1U;
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
    throw Error("no operator and no command given", "", "tensorop --help lists them");
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
    const Command command = operator_command(found, name);
    // What comes behind says the operator's name itself.
    return run_command(
        command, with_context(command.name, [&] { return parse_arguments(rest, all_options(command)); }));
  }
  const std::string near = nearest(name, command_names());
  throw Error(cat("no operator or command ", printable(name)), "",
              near.empty() ? "tensorop --help lists them" : cat("did you mean ", near, "?"));
}

// The number of a standard stream that is closed would go to the next file opened, which would then be read
// as standard input or written to as standard output. Opened the wrong way round, it fails when it is used.
void hold_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

int report(const std::string& message, const std::string& hint) {
  std::fprintf(stderr, "tensorop: %s\n", message.c_str());
  if (!hint.empty()) std::fprintf(stderr, "hint: %s\n", hint.c_str());
  return kFailure;
}

}  // namespace
}  // namespace tensorop

int main(int argc, char** argv) {
  tensorop::hold_standard_descriptors();
  // A file that grows beyond the limit of its size is to be an error like any other (EFBIG).
  ::signal(SIGXFSZ, SIG_IGN);
  try {
    return tensorop::run({argv + std::min(argc, 1), argv + argc});
  } catch (const tensorop::Error& error) {
    return tensorop::report(error.what(), error.hint());
  } catch (const std::bad_alloc&) {
    return tensorop::report("out of memory", "");
  } catch (const std::exception& error) {
    return tensorop::report(std::string("internal error: ") + error.what(), "");
  }
}
