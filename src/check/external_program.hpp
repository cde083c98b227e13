// Another program: its command, how long and how often it runs, and the folders of its cases.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/files/temporary_entry.hpp"
#include "base/text/error.hpp"
#include "check/command.hpp"

namespace tensorop {

// How cases are given to another program.
struct ProgramSettings {
  CommandTemplate command;
  std::chrono::duration<double> timeout;  // of each case
  std::size_t crashes;  // after this number of crashed or killed cases the program runs no more
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

}  // namespace tensorop
