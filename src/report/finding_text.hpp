// Findings as text for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/finding.hpp"
#include "report/difference_picture.hpp"

namespace tensorop {

// The properties of a command's report: names of its entries, and their contents.
struct ReportKind {
  std::string_view command;  // "check"
  std::string_view noun;     // "case", the noun for an entry in text
  std::string_view list;     // "cases", the JSON key of the entries
  bool is_of_jobs;           // entries come from lines of job files; else from two sets of tensors
  bool compares;             // entries compare an actual with an expected tensor
  CountedBy counted_by;  // the first outcome that it counts is the one of all entries if there is no failure
};
extern const ReportKind kCompareReport;
extern const ReportKind kCheckReport;
extern const ReportKind kRunReport;

// Lines: the reasons why the entry is not equal or not done, then the warnings.
[[nodiscard]] std::string reasons_of(const Finding& finding);

// The lines of a report: "f:3: different: NAME", the reasons, indented, and the pictures that the user asked
// for. Empty if there is nothing to report.
[[nodiscard]] std::string finding_text(const Finding& finding, const ReportKind& kind,
                                       Glyphs glyphs = Glyphs::ascii);
// The report of `compare` for a single pair: also says how two tensors are equal.
[[nodiscard]] std::string only_pair_text(const Finding& finding, Glyphs glyphs);

// The end of a report.
struct ReportEnd {
  const Counts& counts;
  std::int64_t not_run = 0;  // expected, but the run ended before them

  // With `not_run` among the outcomes.
  [[nodiscard]] std::int64_t operator[](Outcome outcome) const;
  // The sum of all entries.
  [[nodiscard]] std::int64_t all(const ReportKind& kind) const;
  [[nodiscard]] std::int64_t sum(const ReportKind& kind, OutcomeRow::Counts as) const;
};

// Whether the kind of report counts an outcome in that way.
[[nodiscard]] bool is_counted(const OutcomeRow& row, const ReportKind& kind, OutcomeRow::Counts as);

// As of the counts; never 0 if some entries were not run.
[[nodiscard]] int exit_status(const ReportEnd& end);

// "361 cases: all equal", "4 tensors: 2 equal, 1 different, 1 error", without the end of the line.
[[nodiscard]] std::string summary_text(const ReportEnd& end, const ReportKind& kind);

// A number in every report, under the same name: "different".
struct ReportNumber {
  std::string_view name;
  std::int64_t count;
};
[[nodiscard]] std::vector<ReportNumber> numbers_of(const ReportEnd& end, const ReportKind& kind);

// "; not looked at: 2 files of an unknown format (a.txt, b.bin)"; empty if everything was examined.
[[nodiscard]] std::string unseen_end(const Counts& counts);

// "15 skipped (Cast 9, Abs 6)".
[[nodiscard]] std::string skipped_text(const Counts& counts);

}  // namespace tensorop
