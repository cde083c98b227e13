#include "report/file_report.hpp"

#include <string_view>

#include "base/text.hpp"
#include "report/comparison_text.hpp"
#include "report/markup.hpp"

namespace tensorop {

std::string report_text(const Finding& finding, ReportKind kind) {
  const bool is_equal_pair = kind == ReportKind::pair && finding.outcome == Outcome::equal;
  return is_equal_pair ? comparison_text(*finding.comparison) : reasons_of(finding, kind);
}

std::string headline(const Finding& finding, ReportKind kind) {
  const std::string reasons = report_text(finding, kind);
  std::string_view line = std::string_view(reasons).substr(0, reasons.find('\n'));
  const std::string outcome = cat(name(finding.outcome), ": ");
  if (line.starts_with(outcome)) line.remove_prefix(outcome.size());
  return std::string(line);
}

std::string repeating_command(const Finding& finding, ReportKind kind, const std::string& options) {
  const auto with_options = [&](const std::string& command) {
    return options.empty() ? command : cat(command, " ", options);
  };
  if (kind == ReportKind::cases) {
    const bool is_named = finding.place.line != 0;
    if (!is_named && finding.place.text.empty()) return "";
    // Of an ONNX case the place is its folder; what could not be read has no cases.
    return with_options(cat("tensorop check ", shell_word(is_named ? finding.place.file : finding.place.text),
                            is_named ? cat(" --filter ", shell_word(finding.name)) : ""));
  }
  if (finding.actual.empty() || finding.expected.empty()) return "";
  return with_options(
      cat("tensorop compare ", shell_word(finding.actual), " ", shell_word(finding.expected)));
}

}  // namespace tensorop
