// A case in the hands of another program: its operands as files, the command, and what came of it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "engine/engine.hpp"
#include "golden/command.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// How cases are given to another program.
struct ProgramSettings {
  CommandTemplate command;
  std::chrono::duration<double> timeout;  // of each case
};

// What the program did with one case.
struct ProgramRun {
  std::vector<std::string> words;  // the command
  ChildEnd end;
  std::string result;  // the file it has written its result to; empty: it has written none
};

// Writes the operands of the case into `folder`, as NPY files called by their names, and case.json, which
// says all there is to know of the case (docs/check.md); then runs the program. Throws Error where the
// operands cannot be read or written, or the program cannot be started.
[[nodiscard]] ProgramRun run_case(const Job& job, const ProgramSettings& program, const std::string& folder,
                                  const Settings& settings);

}  // namespace tensorop
