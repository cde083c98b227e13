// The program without its process: the command is found by its name and run.
#pragma once

#include <span>

namespace tensorop {

// Runs the command line `args`, without the program's name, and returns the exit status. Whatever goes wrong
// is one line on standard error, at most with a hint behind it, and status 2; nothing is thrown.
[[nodiscard]] int run_program(std::span<const char* const> args);

}  // namespace tensorop
