// Runs a program as a user would: arguments, standard input, and all that comes back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tensorop {

struct ProcessOptions {
  std::string input;                     // what standard input holds
  std::string directory;                 // where it runs; empty: here
  std::vector<std::string> environment;  // "NAME=value", added to the environment of the test
};

struct ProcessResult {
  int status = 0;  // exit status; 128 + the signal's number where a signal ended it
  std::string out;
  std::string err;
  // Processor time of the program and of all processes that it has waited for, and the most memory that one
  // of them had at a time. The latter is at least what the test itself has had.
  double cpu_seconds = 0;
  std::int64_t peak_bytes = 0;
};

// Runs `arguments[0]` and waits for its end. Throws std::runtime_error where it cannot be started.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& arguments,
                                        const ProcessOptions& options = {});

// The tensorop binary with these arguments.
[[nodiscard]] ProcessResult run_tensorop(std::vector<std::string> arguments,
                                         const ProcessOptions& options = {});

}  // namespace tensorop
