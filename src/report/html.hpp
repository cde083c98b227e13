// A report as one HTML page that needs nothing else: no script, no font, no other file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/settings.hpp"
#include "report/file_report.hpp"

namespace tensorop {

struct HtmlSettings {
  std::string title;    // "tensorop check"
  std::string options;  // as in repeating_command()
  // Where given: explain the first element that differs and the worst one, with these settings.
  std::optional<Settings> why = {};
};

// Keeps the page: the counts come before the findings.
class HtmlReport : public FileReport {
 public:
  explicit HtmlReport(HtmlSettings settings) : settings_(std::move(settings)) {}

  void add(const Finding& finding, ReportKind kind) override;
  [[nodiscard]] std::string text(const Counts& counts, const std::string& summary) const override;

 private:
  [[nodiscard]] std::string why_html(const Finding& finding) const;
  [[nodiscard]] std::string picture_html(const Comparison& comparison);

  HtmlSettings settings_;
  std::string findings_;
  std::int64_t picture_bytes_ = 0;
  bool has_open_ = false;  // the first one that is not equal is
};

}  // namespace tensorop
