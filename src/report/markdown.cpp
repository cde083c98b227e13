#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "report/difference_picture.hpp"
#include "report/file_report.hpp"

namespace tensorop {
namespace {

// A code fence longer than any in the text.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

// Findings of --shrink come first, then failures. Entries without room are only counted.
class MarkdownReport : public FileReport {
 public:
  explicit MarkdownReport(FileReportSettings settings) : settings_(std::move(settings)) {}

  void add(const Finding& finding) override {
    if (!is_failure(finding.outcome)) return;
    constexpr std::size_t kMostBytes = 1 << 20;
    Entries& entries = finding.shrunk ? shrunk_ : failed_;
    ++entries.count;
    if (entries.bytes > kMostBytes) return;
    const std::string title = markdown_escaped(printable(finding.name));
    const std::string place = markdown_escaped(place_of(finding, settings_.kind));
    const std::string outcome = cat(finding.shrunk ? "finding: " : "", label(finding.outcome));
    std::string row = cat("| ", outcome, " | ", title, " | ", place, " | ",
                          markdown_escaped(printable(headline(finding))), " |\n");
    std::string text = reasons_of(finding);
    if (finding.comparison) text += picture_text(*finding.comparison, Glyphs::ascii);
    if (const std::string command = repeating_command(finding, settings_); !command.empty())
      text = cat("$ ", command, "\n", text);
    const std::string fence = fence_for(text);
    std::string details = cat("<details><summary>", outcome, ": ", title, "</summary>\n\n", fence, "text\n",
                              text, fence, "\n\n</details>\n\n");
    entries.bytes += row.size() + details.size();
    entries.rows.push_back(std::move(row));
    entries.details.push_back(std::move(details));
  }

  // The table gets at most two fifths of the room.
  [[nodiscard]] std::string text(const ReportTail& tail) const override {
    constexpr std::int64_t kFifths = 5;
    constexpr std::int64_t kForNotes = 256;
    std::string out = cat("## ", settings_.title(), ": ", markdown_escaped(tail.summary), "\n\n");
    const std::int64_t all = shrunk_.count + failed_.count;
    const auto append = [&](std::int64_t most, std::string_view head,
                            std::vector<std::string> Entries::*list) {
      std::int64_t appended = 0;
      for (const Entries* entries : {&shrunk_, &failed_}) {
        for (const std::string& each : entries->*list) {
          if (to_int64(out.size() + each.size() + head.size()) > most) return appended;
          out += cat(appended++ == 0 ? head : "", each);
        }
        if (to_int64((entries->*list).size()) != entries->count) return appended;
      }
      return appended;
    };
    const std::int64_t in_table = append(
        tail.room / kFifths * 2,
        "| outcome | name | place | first line of the report |\n| --- | --- | --- | --- |\n", &Entries::rows);
    if (in_table != 0) out += "\n";
    if (in_table != all)
      out += cat("The table has the first ", in_table, " of ", all, ": there is room for no more.\n\n");
    const std::int64_t with_details = append(tail.room - kForNotes, "", &Entries::details);
    if (with_details != all)
      out += cat("The reports above are of the first ", with_details, " of ", all,
                 ": there is room for no more.\n\n");
    return out;
  }

 private:
  struct Entries {
    std::vector<std::string> rows = {};  // rows of the table
    std::vector<std::string> details = {};
    std::size_t bytes = 0;
    std::int64_t count = 0;  // number of entries, kept or not
  };
  FileReportSettings settings_;
  Entries shrunk_;
  Entries failed_;
};

}  // namespace

std::unique_ptr<FileReport> markdown_report(FileReportSettings settings) {
  return std::make_unique<MarkdownReport>(std::move(settings));
}

}  // namespace tensorop
