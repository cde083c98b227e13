// The program, apart from its process: finds the command by its name and runs it.
#pragma once

#include <span>

namespace tensorop {

// Runs the command line `args`, without the program's name, and returns the exit status. Every error is one
// line on standard error, with a hint on a second line where there is one, and status 2. Throws nothing.
[[nodiscard]] int run_program(std::span<const char* const> args);

}  // namespace tensorop
