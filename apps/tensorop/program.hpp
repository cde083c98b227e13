// The program without its process: finds the command by name and runs it.
#pragma once

#include <span>
#include <string>

namespace tensorop {

struct Team;

// Runs the command line `args`, without the program's name, and returns the exit status. Every error is one
// line on standard error, with details and a hint on further lines, and status 2. Throws nothing. All
// processes of a team call this with the same command line. `failure`, if not null, receives the message of
// an error that ended the command; empty if there was none.
[[nodiscard]] int run_program(std::span<const char* const> args, const Team* team = nullptr,
                              std::string* failure = nullptr);

// Prepares the process, first in main(): replaces closed standard descriptors, turns the signal for a too
// large file into an error, and returns freed memory to the system.
void prepare_process();

}  // namespace tensorop
