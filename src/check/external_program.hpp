// A case in the hands of another program: its operands as files, the command, and what came of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/temporary_entry.hpp"
#include "check/command.hpp"
#include "compare/finding.hpp"
#include "engine/engine.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// How cases are given to another program.
struct ProgramSettings {
  CommandTemplate command;
  std::chrono::duration<double> timeout;  // of each case
  // No program runs longer, whatever its cases.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
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

// An error in a file that a program has left in a temporary folder, with its name in that folder.
[[nodiscard]] Failure without_folder(const Failure& error, const std::string& folder);

// Writes a file. Throws Error.
void write_text(const std::string& path, const std::string& text);

// Writes the operands of the case into `folder`, as NPY files called by their names, and case.jsonl, a job
// file of one line (program_line()); then runs the program. Throws Error if the operands cannot be read or
// written.
[[nodiscard]] ProgramRun run_case(const Job& job, const ProgramSettings& program, const std::string& folder,
                                  const Settings& settings);

}  // namespace tensorop
