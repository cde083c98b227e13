// Reports in files: built from the findings one by one, and complete whenever the command ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "report/finding_text.hpp"

namespace tensorop {

// The end of a report.
struct ReportTail {
  ReportEnd end;
  std::string summary;    // a line: "3 cases: 2 equal, 1 different"
  std::int64_t room = 0;  // bytes that its file can take; only for Markdown
};

class FileReport {
 public:
  FileReport() = default;
  FileReport(const FileReport&) = delete;
  FileReport& operator=(const FileReport&) = delete;
  virtual ~FileReport() = default;

  // Adds a finding. Findings of `check --shrink` are listed separately from the cases.
  virtual void add(const Finding& finding) = 0;
  [[nodiscard]] virtual std::string text(const ReportTail& tail) const = 0;
};

struct FileReportSettings {
  const ReportKind& kind;
  std::string options = {};  // options that influence findings, as words

  [[nodiscard]] std::string title() const { return "tensorop " + std::string(kind.command); }
};

// A kind of report in a file, with all that is particular to it.
struct ReportRow {
  std::string_view option;  // "--junit"
  std::string_view help;    // of the option
  std::unique_ptr<FileReport> (*make)(const FileReportSettings& settings, const std::optional<Settings>& why);
  // Whether an existing file that begins with `head`, without blanks before it, may be such a report. Any
  // other file is kept if it may be one that the command reads.
  bool (*may_be_old)(std::string_view head);
  bool appends = false;        // to an existing file
  bool is_printable = false;   // "-" is standard output
  bool compares_only = false;  // not of `run`
};
[[nodiscard]] std::span<const ReportRow> report_rows();

// JUnit XML for CI systems: one suite for each suite name of tests, in the order of first use. Different,
// missing and extra entries are failures; updates and warnings are the output of a test. A suite has
// numbers_of() as properties; the first suite also has the numbers of the whole run.
[[nodiscard]] std::unique_ptr<FileReport> junit_report(const ReportKind& kind);

// A self-contained HTML page: no scripts, fonts or other files. With `why` it explains the first element that
// differs and the worst one.
[[nodiscard]] std::unique_ptr<FileReport> html_report(const FileReportSettings& settings,
                                                      const std::optional<Settings>& why);

// Markdown for the summaries of CI systems, which are limited to 1 MiB. The text has at most ReportTail::room
// bytes, or only its first lines, and says how much is omitted.
[[nodiscard]] std::unique_ptr<FileReport> markdown_report(FileReportSettings settings);

// The first line of the reason why the finding is not equal, without the outcome: "1 of 4 elements (25%)".
[[nodiscard]] std::string headline(const Finding& finding);
// The job file and the line; empty if the finding's name contains them.
[[nodiscard]] std::string place_of(const Finding& finding, const ReportKind& kind);

// The command that repeats the finding alone: `compare ACTUAL EXPECTED` or `check FILE --filter NAME`, then
// the options of the report. Empty if there is no such command.
[[nodiscard]] std::string repeating_command(const Finding& finding, const FileReportSettings& report);

}  // namespace tensorop
