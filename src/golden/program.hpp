// A case in the hands of another program: its operands as files, the command, and what came of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "base/files/temporary_entry.hpp"
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
  ChildEnd end;                    // of many cases: only of one for which the program has left nothing
  std::string result;              // the file it has written its result to; empty: it has written none
  bool is_refused = false;         // of many cases: it has left the file that refuses the call
};

// A folder in another one, while this object lives.
class CaseScratch {
 public:
  // Throws Error.
  CaseScratch(const TemporaryEntry& folder, std::size_t number);
  ~CaseScratch();
  CaseScratch(const CaseScratch&) = delete;
  CaseScratch& operator=(const CaseScratch&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Writes the operands of the case into `folder`, as NPY files called by their names, and case.json, which
// says all there is to know of the case (docs/check.md); then runs the program. Throws Error where the
// operands cannot be read or written, or the program cannot be started.
[[nodiscard]] ProgramRun run_case(const Job& job, const ProgramSettings& program, const std::string& folder,
                                  const Settings& settings);

}  // namespace tensorop
