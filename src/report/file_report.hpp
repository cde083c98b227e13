// A report in a file: made of the findings, one after the other, and complete whenever the command ends.
#pragma once

#include <string>

#include "golden/finding.hpp"
#include "report/finding_text.hpp"

namespace tensorop {

class FileReport {
 public:
  FileReport() = default;
  FileReport(const FileReport&) = delete;
  FileReport& operator=(const FileReport&) = delete;
  virtual ~FileReport() = default;

  virtual void add(const Finding& finding, ReportKind kind) = 0;
  // The whole of it, of which the summary is a line: "3 cases: 2 equal, 1 different".
  [[nodiscard]] virtual std::string text(const Counts& counts, const std::string& summary) const = 0;
};

// Why it is not equal, as reasons_of(); of two tensors that are equal also how.
[[nodiscard]] std::string report_text(const Finding& finding, ReportKind kind);
// The first line of why it is not equal, without the outcome: "1 of 4 elements (25%)".
[[nodiscard]] std::string headline(const Finding& finding, ReportKind kind);

// What to type to see the finding alone: `compare ACTUAL EXPECTED` or `check FILE --filter NAME`, then
// `options`, which are words.
[[nodiscard]] std::string repeating_command(const Finding& finding, ReportKind kind,
                                            const std::string& options);

}  // namespace tensorop
