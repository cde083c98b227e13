// The file of a report: opened before the work begins; at the end it is complete or unchanged.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/files/output_file.hpp"
#include "report/file_report.hpp"

namespace tensorop {

struct ReportFile {
  // Throws Error if the file cannot be written.
  ReportFile(const ReportRow& row, std::string path, std::unique_ptr<FileReport> report);

  // Writes the report. Throws Error, also if `may_be_input` (the command ended before it knew its inputs) and
  // the file does not begin like such a report.
  void commit(const ReportEnd& end, const std::string& summary, bool may_be_input);

  const ReportRow* row;
  std::string path;  // "-": standard output
  std::unique_ptr<FileReport> report;

 private:
  void require_report() const;

  std::optional<OutputFile> file_;  // unused for a file that is appended to
};

}  // namespace tensorop
