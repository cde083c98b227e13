// Cases that are known to fail: `check --known-failures FILE`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/unseen.hpp"
#include "engine/settings.hpp"
#include "golden/finding.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// The lines of a file, each with a pattern and the reason for which the cases that it matches fail. A failure
// of such a case is no failure of the run. A line whose cases no longer fail is one: else it would hide the
// next fault.
class KnownFailures {
 public:
  // Each line is NAME-PATTERN, or words KEY=PATTERN that all must match: name, op, spec, dtype (of the first
  // operand) or an attribute. A # at the beginning of a line or after a blank begins the reason. Throws Error
  // naming the file, and the line if it is not such.
  explicit KnownFailures(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  // Finds out which lines match which of the cases; called once, with all of a run and of its other shards.
  // Operands are opened where a line with a matching name, op and spec asks for more.
  void find_cases(const std::vector<Job>& jobs, const Settings& settings);
  // Whether a line matches the case.
  [[nodiscard]] bool has(const Job& job) const { return lines_of_.contains(job.location()); }
  // To be called for each finding that a case of find_cases() has, once: one that fails becomes a known
  // failure.
  void judge(Finding& finding);
  // After all: for each line all of whose cases have been run and pass a finding that says so.
  [[nodiscard]] std::vector<Finding> passing() const;
  // The lines that match no case.
  [[nodiscard]] std::vector<Unseen> unused() const;

 private:
  struct Line {
    std::int64_t number;
    std::string text;  // without the reason
    std::string reason;
    std::vector<std::pair<std::string, std::string>> patterns;  // by their key
    bool is_used = false;
    std::int64_t cases = 0;  // without those of which nothing can be tried
    std::int64_t passed = 0;
  };

  [[nodiscard]] static Line parse(std::string_view text, std::int64_t number);
  [[nodiscard]] std::string place_of(const Line& line) const;

  std::string path_;
  std::vector<Line> lines_;
  std::map<std::string, std::vector<std::size_t>> lines_of_;  // by Job::location()
};

}  // namespace tensorop
