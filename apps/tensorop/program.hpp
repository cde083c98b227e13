// The program, apart from its process: finds the command by its name and runs it.
#pragma once

#include <span>
#include <string>

namespace tensorop {

struct Team;

// Runs the command line `args`, without the program's name, and returns the exit status. Every error is one
// line on standard error, with a hint on a second line where there is one, and status 2. Throws nothing. The
// processes of a team, where there is one, call this with the same command line. `failure`, where it is not
// null: the message of an error that ended the command; empty where none did.
[[nodiscard]] int run_program(std::span<const char* const> args, const Team* team = nullptr,
                              std::string* failure = nullptr);

// What main() does first: standard descriptors that are closed are held, and a file that grows too large is
// an error, not a signal; and memory that is freed goes back to the system.
void prepare_process();

}  // namespace tensorop
