#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "report/difference_picture.hpp"
#include "report/file_report.hpp"
#include "report/markup.hpp"

namespace tensorop {
namespace {

// A fence that no line of the text ends.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

bool is_failed(Outcome outcome) {
  return is_failure(outcome) || outcome == Outcome::interrupted;
}

class MarkdownReport : public FileReport {
 public:
  MarkdownReport(FileReportSettings settings, std::int64_t room)
      : settings_(std::move(settings)), room_(room) {}

  void add(const Finding& finding, ReportKind kind) override {
    if (!is_failed(finding.outcome)) return;
    ++failed_;
    // The table has at most two fifths of the room.
    constexpr std::int64_t kFifths = 5;
    const std::string title =
        kind == ReportKind::pair ? cat(finding.actual, " and ", finding.expected) : finding.name;
    const std::string place = kind == ReportKind::cases ? finding.place.text : "";
    const std::string row =
        cat("| ", name(finding.outcome), " | ", markdown_escaped(printable(title)), " | ",
            markdown_escaped(place), " | ", markdown_escaped(printable(headline(finding, kind))), " |\n");
    if (in_table_ + 1 == failed_ && to_int64(rows_.size() + row.size()) <= room_ / kFifths * 2) {
      rows_ += row;
      ++in_table_;
    }
    std::string text = report_text(finding, kind);
    if (finding.comparison) text += picture_text(*finding.comparison, Glyphs::ascii);
    if (const std::string command = repeating_command(finding, kind, settings_.options); !command.empty())
      text = cat("$ ", printable(command), "\n", text);
    const std::string fence = fence_for(text);
    const std::string details =
        cat("<details><summary>", name(finding.outcome), ": ", markdown_escaped(printable(title)),
            "</summary>\n\n", fence, "text\n", text, fence, "\n\n</details>\n\n");
    constexpr std::int64_t kForNotes = 1024;
    if (with_details_ + 1 != failed_ ||
        to_int64(details_.size() + details.size()) > room_ / kFifths * 3 - kForNotes) {
      return;
    }
    details_ += details;
    ++with_details_;
  }

  [[nodiscard]] std::string text(const Counts& /*counts*/, const std::string& summary) const override {
    std::string out = cat("## ", markdown_escaped(settings_.title), ": ", markdown_escaped(summary), "\n\n");
    if (in_table_ != 0)
      out += cat("| outcome | name | place | first line of the report |\n| --- | --- | --- | --- |\n", rows_,
                 "\n");
    if (in_table_ != failed_)
      out += cat("The table has the first ", in_table_, " of ", failed_, ": there is room for no more.\n\n");
    out += details_;
    if (with_details_ != failed_)
      out += cat("The reports above are of the first ", with_details_, " of ", failed_,
                 ": there is room for no more.\n\n");
    return out;
  }

 private:
  FileReportSettings settings_;
  std::int64_t room_;
  std::string rows_;     // of the table of what failed, as many as have room
  std::string details_;  // of the first of them
  std::int64_t failed_ = 0;
  std::int64_t in_table_ = 0;
  std::int64_t with_details_ = 0;
};

}  // namespace

std::unique_ptr<FileReport> markdown_report(FileReportSettings settings, std::int64_t room) {
  return std::make_unique<MarkdownReport>(std::move(settings), room);
}

}  // namespace tensorop
