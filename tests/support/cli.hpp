// Calls of the program, and what must come of them.
#pragma once

#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {

using Words = std::vector<std::string>;

// The program in the directory.
[[nodiscard]] inline ProcessResult run_in(const TempDir& dir, const Words& words,
                                          const std::string& input = "") {
  return run_tensorop(words, {.input = input, .directory = dir.path().string(), .environment = {}});
}

// A shell command in the directory; the program is "$B".
[[nodiscard]] inline ProcessResult shell(const TempDir& dir, const std::string& command) {
  ProcessOptions options;
  options.directory = dir.path().string();
  options.environment = {cat("B=", tensorop_binary())};
  return run_process({"/bin/sh", "-c", command}, options);
}

inline void check_done(const ProcessResult& result, const std::string& out = "") {
  CHECK(result.err.empty());
  CHECK(result.out == out);
  CHECK(result.status == 0);
}

inline void check_refused(const ProcessResult& result, const std::string& message) {
  CHECK(result.err == cat("tensorop: ", message, "\n"));
  CHECK(result.out.empty());
  CHECK(result.status == 2);
}

}  // namespace tensorop
