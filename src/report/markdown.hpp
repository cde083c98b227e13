// A report as Markdown, for the summaries of CI systems, which take 1 MiB.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/file_report.hpp"

namespace tensorop {

class MarkdownReport : public FileReport {
 public:
  // `title`: "tensorop check"; `options` as in repeating_command(). The text has at most `room` bytes, but
  // for its first lines.
  MarkdownReport(std::string title, std::string options, std::int64_t room)
      : title_(std::move(title)), options_(std::move(options)), room_(room) {}

  void add(const Finding& finding, ReportKind kind) override;
  [[nodiscard]] std::string text(const Counts& counts, const std::string& summary) const override;

 private:
  std::string title_;
  std::string options_;
  std::int64_t room_;
  std::string rows_;     // of the table of what failed, as many as have room
  std::string details_;  // of the first of them
  std::int64_t failed_ = 0;
  std::int64_t in_table_ = 0;
  std::int64_t with_details_ = 0;
};

}  // namespace tensorop
