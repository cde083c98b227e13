// Cases that are known to fail: `check --known-failures FILE`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/unseen.hpp"
#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// Facts of a case by their keys: name, op, spec, dtype (of the first operand), attributes, defaults too.
using CaseFacts = std::multimap<std::string, std::string>;
// Opens the operands of the case.
[[nodiscard]] CaseFacts facts_of(const Job& job, const Settings& settings);

// Whether a line may excuse the outcome.
[[nodiscard]] bool is_excusable(const Finding& finding);

// The patterns of a file, one a line, each with a reason. A case that fails and matches a line is a known
// failure, which does not fail the run. A line whose cases all pass fails the run: it would hide the next
// fault.
class KnownFailures {
 public:
  // Each line is NAME-PATTERN, or words KEY=PATTERN that all must match: name, op, spec, dtype (of the first
  // operand) or an attribute. A # at the beginning of a line or after a blank begins the reason. Throws Error
  // naming the file, and the line that is malformed.
  explicit KnownFailures(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  // Matches the lines with the cases. Called once, with the cases of all shards. Opens the operands of a case
  // only if a line needs their dtype or the values of attributes.
  void find_cases(const std::vector<Job>& jobs, const Settings& settings);
  // Whether a line matches the case.
  [[nodiscard]] bool has(const Job& job) const { return lines_of_.contains(job.location()); }
  // Called once for the finding of each case: a failure that a line matches becomes a known failure.
  void judge(Finding& finding);
  // Called at the end: a finding (passes_now) for each line whose cases have all been run and pass.
  [[nodiscard]] std::vector<Finding> passing() const;
  // The lines, with their reasons, without the lines of passing().
  [[nodiscard]] std::vector<std::string> failing_lines() const;
  // The lines that match no case.
  [[nodiscard]] std::vector<Unseen> unused() const;

 private:
  struct Line {
    std::int64_t number;
    std::string text;  // without the reason
    std::string reason;
    std::vector<std::pair<std::string, std::string>> patterns;  // by their key
    bool is_used = false;
    std::int64_t cases =
        0;  // matching cases that were judged: neither skipped nor "not given to the program"
    std::int64_t passed = 0;

    [[nodiscard]] bool passes() const { return passed != 0 && passed == cases; }
  };

  [[nodiscard]] static Line parse(std::string_view text, std::int64_t number);
  [[nodiscard]] std::string place_of(const Line& line) const;

  std::string path_;
  std::vector<Line> lines_;
  std::map<std::string, std::vector<std::size_t>> lines_of_;  // by Job::location()
};

}  // namespace tensorop
