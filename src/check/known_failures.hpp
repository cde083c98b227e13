// Cases that are known to fail: `check --known-failures FILE`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/unseen.hpp"
#include "check/case_facts.hpp"
#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// The word of `status=` for a case that fails: "different", "refused", "crashed" or "timeout". Empty: it
// passes, or nothing excuses it, because nothing says that the case itself fails.
[[nodiscard]] std::string_view failure_status(const Finding& finding);

// The condition and the reason of a line, without blanks around them. Empty: the line has none.
struct KnownFailureText {
  std::string_view condition;
  std::string_view reason;
};
[[nodiscard]] KnownFailureText known_failure_text(std::string_view line);

// A key and a pattern for its value.
using FactPattern = std::pair<std::string_view, std::string_view>;
// The patterns that must all match where the condition is met, as parts of it.
[[nodiscard]] std::vector<FactPattern> patterns_of(std::string_view condition);

// Calls visit(line) for each line of the text, without the line end.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
  }
}

// The patterns of a file, one a line, each with a reason. A case that fails as a line says is a known
// failure, which does not fail the run. A line whose cases all pass fails the run: it would hide the next
// fault.
class KnownFailures {
 public:
  // Each line is NAME-PATTERN [status=PATTERN], or words KEY=PATTERN that all must match: a fact of the case
  // (case_facts.hpp) or the status; without status it is "different". A # at the beginning of a line or after
  // a blank begins the reason. With `is_updated` the file may be missing. Throws Error naming the file, and
  // the line that is malformed.
  KnownFailures(std::string path, bool is_updated);
  KnownFailures(const KnownFailures&) = delete;
  KnownFailures& operator=(const KnownFailures&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Matches the lines with the cases. Called once, with all jobs (join_case_files()). Opens the operands of a
  // case only if a line needs facts of them.
  void find_cases(const std::vector<Job>& jobs, const Settings& settings);
  // Whether a line excuses the finding of a case.
  [[nodiscard]] bool excuses(const Finding& finding) const;
  // Called once for the finding of each case: a failure that a line excuses becomes a known failure.
  void judge(Finding& finding);
  // Called at the end: a finding (passes_now) for each line whose cases have all been run and pass.
  [[nodiscard]] std::vector<Finding> passing() const;
  // Called at the end: the lines that a run of a part of the cases cannot judge.
  [[nodiscard]] std::vector<Unseen> unjudged() const;
  // The lines that match no case.
  [[nodiscard]] std::vector<Unseen> unused() const;
  // Called at the end: the lines, as a whole, whose cases have all been judged and that excuse none.
  [[nodiscard]] std::vector<std::string> void_lines() const;

 private:
  struct Line {
    std::int64_t number;
    std::string_view whole;
    KnownFailureText text;
    std::vector<FactPattern> patterns;
    FactDepth depth = FactDepth::given;  // of the patterns
    std::int64_t cases = 0;              // matching cases that were not skipped and were given to the program
    std::int64_t passed = 0;
    std::int64_t excused = 0;
    std::int64_t failed = 0;  // with another status
    bool is_used = false;

    [[nodiscard]] bool passes() const { return passed != 0 && passed == cases; }
    [[nodiscard]] bool is_void() const { return cases != 0 && excused == 0 && passed + failed == cases; }
  };

  [[nodiscard]] static Line parse(std::string_view text, std::int64_t number);
  // The first line that excuses the finding; null: none.
  [[nodiscard]] const Line* excuse_of(const Finding& finding) const;
  [[nodiscard]] std::string place_of(const Line& line) const;

  std::string path_;
  std::string text_;
  std::vector<Line> lines_;
  std::vector<std::vector<std::size_t>> lines_of_;  // by Finding::index
};

}  // namespace tensorop
