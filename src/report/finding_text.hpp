// Findings as text to read.
#pragma once

#include <string>
#include <vector>

#include "golden/finding.hpp"
#include "report/difference_picture.hpp"

namespace tensorop {

// What a report is of, which decides its words.
enum class ReportKind : std::uint8_t {
  pair,   // compare: two tensors
  pairs,  // compare: those of two folders or archives
  cases,  // check
  jobs,   // run
};

// Why it is not equal or not done: lines; then, of check, the warnings.
[[nodiscard]] std::string reasons_of(const Finding& finding, ReportKind kind);

// The lines of a report: "f:3: different: NAME" and the reasons, indented; nothing where there is nothing to
// say. Of `run` messages, as on standard error. After the reasons the pictures that were asked for.
[[nodiscard]] std::string finding_text(const Finding& finding, ReportKind kind,
                                       Glyphs glyphs = Glyphs::ascii);

// The outcomes that things of a kind may have, and that a summary counts.
[[nodiscard]] std::vector<Outcome> counted_outcomes(ReportKind kind);

// What a report ends with.
struct ReportEnd {
  const Counts& counts;
  std::int64_t not_run = 0;      // because of a signal, a failure that ends the command, or --fail-fast
  std::string last_failed = {};  // run with --fail-fast: what it stopped at

  // The sum of all counts.
  [[nodiscard]] std::int64_t all(ReportKind kind) const;
};

// "361 cases: all equal", "4 tensors: 2 equal, 1 different, 1 error", without the end of the line.
[[nodiscard]] std::string summary_text(const ReportEnd& end, ReportKind kind);

// A number that each report has, by the same name: "different".
struct ReportNumber {
  std::string_view name;
  std::int64_t count;
};
[[nodiscard]] std::vector<ReportNumber> numbers_of(const ReportEnd& end, ReportKind kind);

// "; not looked at: 2 files of an unknown format (a.txt, b.bin)"; empty where nothing is.
[[nodiscard]] std::string unseen_end(const Counts& counts);

// "15 skipped (Cast 9, Abs 6)".
[[nodiscard]] std::string skipped_text(const Counts& counts);

}  // namespace tensorop
