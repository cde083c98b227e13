// Lines of known failures that would excuse the failures of a run: `check --write-known-failures FILE`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

class KnownFailures;

class KnownFailureLines {
 public:
  // Called once for the finding of each case.
  void add(const Finding& finding);
  // A comment, the lines of `known` whose cases do not all pass now (null: none), and lines for the failures
  // that these do not excuse. Conditions (operator, specification, dtype, attributes; three at most) stand
  // for at least kLeastCases cases that all fail; lines with fewer conditions come first. All other
  // failing cases have a line by name; so has each of them if the run does not have all cases (`are_all`).
  // `jobs` are the jobs of the run. Opens the operands of all cases of an operator with a failing case.
  static constexpr std::size_t kLeastCases = 3;
  [[nodiscard]] std::string text(const std::vector<Job>& jobs, const KnownFailures* known,
                                 const Settings& settings, bool are_all) const;

 private:
  struct Result {
    bool fails = false;
    bool is_known = false;
    std::string outcome;  // "different"
  };
  std::map<std::string, Result> results_;  // by Job::location(), of cases that were judged
};

}  // namespace tensorop
