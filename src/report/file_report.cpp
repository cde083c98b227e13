#include "report/file_report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "report/difference_picture.hpp"
#include "report/markup.hpp"

namespace tensorop {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return cat(" ", name, "=\"", escaped(value), "\"");
}

// To the microsecond.
std::string seconds_text(double seconds) {
  char text[64];
  constexpr int kMicroseconds = 6;
  const auto result =
      std::to_chars(text, text + sizeof text, seconds, std::chars_format::fixed, kMicroseconds);
  return {text, result.ptr};
}

// Keeps the XML of all tests: the counts come before them.
class JUnitReport : public FileReport {
 public:
  explicit JUnitReport(std::string name) : name_(std::move(name)) {}

  void add(const Finding& finding, ReportKind kind) override {
    Verdict verdict = Verdict::passed;
    if (finding.outcome == Outcome::skipped || finding.outcome == Outcome::not_given)
      verdict = Verdict::skipped;
    if (is_failure(finding.outcome)) verdict = Verdict::error;
    for (const Outcome outcome : {Outcome::different, Outcome::missing, Outcome::extra}) {
      if (finding.outcome == outcome) verdict = Verdict::failure;
    }
    // Most tests are of the suite of the one before.
    auto suite = std::find_if(suites_.rbegin(), suites_.rend(),
                              [&](const Suite& other) { return other.name == finding.suite; });
    if (suite == suites_.rend()) {
      suites_.push_back({.name = finding.suite});
      suite = suites_.rbegin();
    }
    const std::string lead = finding.outcome == Outcome::not_given ? cat(label(finding.outcome), ": ") : "";
    suite->tests += test_xml(finding, verdict, lead + reasons_of(finding, kind));
    ++suite->totals.tests[static_cast<std::size_t>(verdict)];
    suite->totals.seconds += finding.seconds;
  }

  [[nodiscard]] std::string text(const Counts& /*counts*/, const std::string& /*summary*/) const override {
    Totals all;
    std::string suites;
    for (const auto& [name, tests, totals] : suites_) {
      for (std::size_t i = 0; i < all.tests.size(); ++i) all.tests[i] += totals.tests[i];
      all.seconds += totals.seconds;
      suites += cat("  <testsuite", attribute("name", name), attributes_of(totals), ">\n", tests,
                    "  </testsuite>\n");
    }
    return cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", attribute("name", name_),
               attributes_of(all), ">\n", suites, "</testsuites>\n");
  }

 private:
  enum class Verdict : std::uint8_t { passed, failure, error, skipped };
  struct Totals {
    std::array<std::int64_t, 4> tests = {};  // by their verdict
    double seconds = 0;
  };
  struct Suite {
    std::string name;
    std::string tests = {};  // XML
    Totals totals = {};
  };

  // `reasons`: lines: why it did not pass, or was not run; of one that passed, its output.
  static std::string test_xml(const Finding& finding, Verdict verdict, const std::string& reasons) {
    std::string out = cat("    <testcase", attribute("classname", finding.suite),
                          attribute("name", finding.name), attribute("file", finding.place.file));
    if (finding.place.line != 0) out += attribute("line", cat(finding.place.line));
    out += attribute("time", seconds_text(finding.seconds));
    if (reasons.empty()) return out + "/>\n";
    const std::string message = attribute("message", reasons.substr(0, reasons.find('\n')));
    const auto element = [&](std::string_view tag, std::string_view attributes) {
      return cat("<", tag, attributes, ">", escaped(reasons), "</", tag, ">");
    };
    return cat(out, ">\n      ",
               verdict == Verdict::passed ? element("system-out", "")
               : verdict == Verdict::skipped
                   ? cat("<skipped", message, "/>")
                   : element(verdict == Verdict::failure ? "failure" : "error", message),
               "\n    </testcase>\n");
  }

  static std::string attributes_of(const Totals& totals) {
    const auto [passed, failures, errors, skipped] = totals.tests;
    return cat(attribute("tests", cat(passed + failures + errors + skipped)),
               attribute("failures", cat(failures)), attribute("errors", cat(errors)),
               skipped == 0 ? "" : attribute("skipped", cat(skipped)),
               attribute("time", seconds_text(totals.seconds)));
  }

  std::string name_;
  std::vector<Suite> suites_;
};

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
        cat("| ", label(finding.outcome), " | ", markdown_escaped(printable(title)), " | ",
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
        cat("<details><summary>", label(finding.outcome), ": ", markdown_escaped(printable(title)),
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

std::unique_ptr<FileReport> junit_report(FileReportSettings settings) {
  return std::make_unique<JUnitReport>(std::move(settings.title));
}

std::unique_ptr<FileReport> markdown_report(FileReportSettings settings, std::int64_t room) {
  return std::make_unique<MarkdownReport>(std::move(settings), room);
}

}  // namespace tensorop
