// The file that a report goes to: opened before the work begins, and complete or as it was when it ends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/output_file.hpp"
#include "report/file_report.hpp"

namespace tensorop {

struct ReportFile {
  // The option whose file is appended to.
  static constexpr std::string_view kMarkdown = "--markdown";

  // Throws Error where the file cannot be written.
  ReportFile(std::string_view option, std::string path, std::unique_ptr<FileReport> report);

  // Writes the report. Throws Error, also where the file `may_be_input` of the command and what it holds does
  // not begin as such a report: the command has ended before it knew which files it reads.
  void commit(const ReportEnd& end, const std::string& summary, bool may_be_input);

  std::string option;  // "--junit"
  std::string path;    // "-": standard output
  std::unique_ptr<FileReport> report;

 private:
  void require_report() const;

  std::optional<OutputFile> file_;  // not of a file that is appended to
};

}  // namespace tensorop
