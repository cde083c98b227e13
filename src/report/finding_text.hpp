// Findings as text to read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/finding.hpp"
#include "report/difference_picture.hpp"

namespace tensorop {

// The report of a command that has many things to say: what its entries are called, and what they have.
struct ReportKind {
  std::string_view command;  // "check"
  std::string_view noun;     // "case", as text names an entry
  std::string_view list;     // "cases", the key of the entries in JSON
  bool is_of_jobs;           // entries come from lines of job files; else from two sets of tensors
  bool compares;             // entries have an actual and an expected tensor
  // The outcomes of entries that a summary counts. The first is that of all entries if nothing is wrong.
  std::span<const Outcome> outcomes;
  std::span<const Outcome> apart;  // those for which nothing was tried: the sum in text does not have them
};
extern const ReportKind kCompareReport;
extern const ReportKind kCheckReport;
extern const ReportKind kRunReport;

// Lines: why it is not equal or not done, then the warnings.
[[nodiscard]] std::string reasons_of(const Finding& finding);

// The lines of a report: "f:3: different: NAME" and the reasons, indented; nothing where there is nothing to
// say. After the reasons the pictures that were asked for.
[[nodiscard]] std::string finding_text(const Finding& finding, const ReportKind& kind,
                                       Glyphs glyphs = Glyphs::ascii);
// The report of the only pair of `compare`: also how two tensors are equal.
[[nodiscard]] std::string only_pair_text(const Finding& finding, Glyphs glyphs);

// What a report ends with.
struct ReportEnd {
  const Counts& counts;
  std::int64_t not_run = 0;  // because of a signal, a failure that ends the command, or --fail-fast

  // The sum of all counts.
  [[nodiscard]] std::int64_t all(const ReportKind& kind) const;
};

// "361 cases: all equal", "4 tensors: 2 equal, 1 different, 1 error", without the end of the line.
[[nodiscard]] std::string summary_text(const ReportEnd& end, const ReportKind& kind);

// A number that each report has, by the same name: "different".
struct ReportNumber {
  std::string_view name;
  std::int64_t count;
};
[[nodiscard]] std::vector<ReportNumber> numbers_of(const ReportEnd& end, const ReportKind& kind);

// "; not looked at: 2 files of an unknown format (a.txt, b.bin)"; empty where nothing is.
[[nodiscard]] std::string unseen_end(const Counts& counts);

// "15 skipped (Cast 9, Abs 6)".
[[nodiscard]] std::string skipped_text(const Counts& counts);

}  // namespace tensorop
