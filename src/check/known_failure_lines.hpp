// New lines for failures that no line excuses, and the file that they go to: `check --known-failures FILE
// --update`.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/known_failures.hpp"
#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

class KnownFailureLines {
 public:
  // Called once for the finding of each case.
  void add(const Finding& finding);
  // Lines for the failures that no line excuses. Conditions (facts of the case, the operator first; three at
  // most) stand for at least kLeastCases cases that all fail, with one status; lines with fewer conditions
  // come first. Each other failure has a line by its name, and so has every failure if the run does not have
  // all cases (`are_all`). `jobs` are the jobs of the run. Opens the operands of all cases of an operator
  // with a failing case.
  static constexpr std::size_t kLeastCases = 3;
  [[nodiscard]] std::vector<std::string> lines(const std::vector<Job>& jobs, const Settings& settings,
                                               bool are_all) const;

 private:
  struct Result {
    std::string status = {};   // empty: it passes, or has no verdict
    bool is_left_out = false;  // skipped, or not given to the program
    bool is_known = false;
  };
  std::unordered_map<std::size_t, Result> results_;  // by Finding::index
};

// A change of a file of known failures. It is made to what the file holds when it is written, so that several
// processes may change one file.
struct KnownFailureChange {
  std::vector<std::string> removed = {};  // whole lines
  std::vector<std::string> added = {};
};

// Writes the file, unless nothing changes. Lines that stay keep their place; so do comments and blank lines.
// Returns what is said of it: "known.txt: 2 lines added, 1 removed, 7 kept". Throws Error; the file is then
// unchanged.
[[nodiscard]] std::string change_known_failures(const std::string& path, const KnownFailureChange& change);

}  // namespace tensorop
