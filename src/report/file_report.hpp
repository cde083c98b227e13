// A report in a file: made of the findings, one after the other, and complete whenever the command ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "report/finding_text.hpp"

namespace tensorop {

// The end of a report.
struct ReportTail {
  ReportEnd end;
  std::string summary;    // a line: "3 cases: 2 equal, 1 different"
  std::int64_t room = 0;  // bytes that its file can take; only of Markdown
};

class FileReport {
 public:
  FileReport() = default;
  FileReport(const FileReport&) = delete;
  FileReport& operator=(const FileReport&) = delete;
  virtual ~FileReport() = default;

  // A finding of `check --shrink` is told beside the cases.
  virtual void add(const Finding& finding) = 0;
  [[nodiscard]] virtual std::string text(const ReportTail& tail) const = 0;
};

struct FileReportSettings {
  const ReportKind& kind;
  std::string options = {};  // those that decide what a finding is, as words

  [[nodiscard]] std::string title() const { return "tensorop " + std::string(kind.command); }
};

// JUnit XML for CI systems: one suite for each run of tests that name the same one, in order. What is
// different, missing or extra is a failure; what was updated, and warnings are the output of a test. The
// properties of a suite are its numbers_of(); the first one also has those of the whole run.
[[nodiscard]] std::unique_ptr<FileReport> junit_report(const ReportKind& kind);

// One HTML page that needs nothing else: no script, no font, no other file. With `why` it explains the first
// element that differs and the worst one.
[[nodiscard]] std::unique_ptr<FileReport> html_report(FileReportSettings settings,
                                                      std::optional<Settings> why);

// Markdown for the summaries of CI systems, which take 1 MiB. The text has at most ReportTail::room bytes, or
// has nothing but its first lines, and says how much it leaves out.
[[nodiscard]] std::unique_ptr<FileReport> markdown_report(FileReportSettings settings);

// The first line of why it is not equal, without the outcome: "1 of 4 elements (25%)".
[[nodiscard]] std::string headline(const Finding& finding);
// The job file and the line; empty where the name says it.
[[nodiscard]] std::string place_of(const Finding& finding, const ReportKind& kind);

// What to type to see the finding alone: `compare ACTUAL EXPECTED` or `check FILE --filter NAME`, then the
// options of the report. Empty where nothing does that.
[[nodiscard]] std::string repeating_command(const Finding& finding, const FileReportSettings& report);

}  // namespace tensorop
