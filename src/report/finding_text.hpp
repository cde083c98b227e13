// Findings as text for people.
#pragma once

#include <cstdint>
#include <span>
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
  // The outcomes that a summary counts. The first is the outcome of all entries if there is no failure.
  std::span<const Outcome> outcomes;
  std::span<const Outcome> apart;  // entries that were not tried: not in the text's sum
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
  std::int64_t not_run = 0;  // because of a signal, a fatal failure, or --fail-fast

  // The sum of all counts.
  [[nodiscard]] std::int64_t all(const ReportKind& kind) const;
};

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
