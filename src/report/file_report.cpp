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
    kind_ = kind;
    const auto suite = suite_of(finding);
    const std::string reasons = reasons_of(finding, kind);
    if (finding.shrunk) {
      suite->output += cat(finding.name, ": ", reasons);
      return;
    }
    suite->counts.add(finding);
    Verdict verdict = Verdict::passed;
    if (finding.outcome == Outcome::skipped || finding.outcome == Outcome::not_given)
      verdict = Verdict::skipped;
    if (is_failure(finding.outcome)) verdict = Verdict::error;
    for (const Outcome outcome : {Outcome::different, Outcome::missing, Outcome::extra}) {
      if (finding.outcome == outcome) verdict = Verdict::failure;
    }
    const std::string lead = finding.outcome == Outcome::not_given ? cat(label(finding.outcome), ": ") : "";
    suite->tests += test_xml(finding, verdict, lead + reasons);
    ++suite->totals.tests[static_cast<std::size_t>(verdict)];
    suite->totals.seconds += finding.seconds;
  }

  [[nodiscard]] std::string text(const ReportTail& tail) const override {
    Totals all;
    std::string suites;
    for (const Suite& suite : suites_) {
      for (std::size_t i = 0; i < all.tests.size(); ++i) all.tests[i] += suite.totals.tests[i];
      all.seconds += suite.totals.seconds;
      const bool is_first = suites.empty();
      const std::string properties = properties_xml(suite.counts, is_first ? &tail.end : nullptr);
      suites +=
          cat("  <testsuite", attribute("name", suite.name), attributes_of(suite.totals), ">\n", properties,
              suite.tests,
              suite.output.empty() ? "" : cat("    <system-out>", escaped(suite.output), "</system-out>\n"),
              "  </testsuite>\n");
    }
    if (suites_.empty() && !tail.end.counts.unseen.empty()) {
      suites = cat("  <testsuite", attribute("name", name_), attributes_of({}), ">\n",
                   properties_xml({}, &tail.end), "  </testsuite>\n");
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
    std::string tests = {};   // XML
    std::string output = {};  // text
    Totals totals = {};
    Counts counts = {};
  };

  // Most tests are of the suite of the one before.
  std::vector<Suite>::reverse_iterator suite_of(const Finding& finding) {
    const auto known = std::find_if(suites_.rbegin(), suites_.rend(),
                                    [&](const Suite& other) { return other.name == finding.suite; });
    if (known != suites_.rend()) return known;
    suites_.push_back({.name = finding.suite});
    return suites_.rbegin();
  }

  // The numbers of a suite that are not 0; `whole`: those of the whole run that no suite has.
  [[nodiscard]] std::string properties_xml(const Counts& counts, const ReportEnd* whole) const {
    std::string out;
    const auto add = [&](std::string_view name, const std::string& value) {
      out += cat("      <property", attribute("name", name), attribute("value", value), "/>\n");
    };
    Counts own = counts;
    if (whole != nullptr) {
      own.up_to_date = whole->counts.up_to_date;
      own.shrunk = whole->counts.shrunk;
    }
    for (const auto& [name, count] : numbers_of({own, whole != nullptr ? whole->not_run : 0}, kind_)) {
      if (count != 0) add(name, cat(count));
    }
    if (whole != nullptr) {
      for (const Unseen& entry : whole->counts.unseen) add("not looked at", unseen_text(entry));
    }
    return out.empty() ? "" : cat("    <properties>\n", out, "    </properties>\n");
  }

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
  ReportKind kind_ = ReportKind::cases;
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

// Findings of --shrink come first, then what has failed. What there can be no room for is only counted.
class MarkdownReport : public FileReport {
 public:
  explicit MarkdownReport(FileReportSettings settings) : settings_(std::move(settings)) {}

  void add(const Finding& finding, ReportKind kind) override {
    if (!is_failed(finding.outcome)) return;
    constexpr std::size_t kMostBytes = 1 << 20;
    Entries& entries = finding.shrunk ? shrunk_ : failed_;
    ++entries.count;
    if (entries.bytes > kMostBytes) return;
    const std::string title =
        kind == ReportKind::pair ? cat(finding.actual, " and ", finding.expected) : finding.name;
    const std::string place = kind == ReportKind::cases ? finding.place.text : "";
    const std::string outcome = cat(finding.shrunk ? "finding: " : "", label(finding.outcome));
    std::string row =
        cat("| ", outcome, " | ", markdown_escaped(printable(title)), " | ", markdown_escaped(place), " | ",
            markdown_escaped(printable(headline(finding, kind))), " |\n");
    std::string text = report_text(finding, kind);
    if (finding.comparison) text += picture_text(*finding.comparison, Glyphs::ascii);
    if (const std::string command = repeating_command(finding, kind, settings_.options); !command.empty())
      text = cat("$ ", command, "\n", text);
    const std::string fence = fence_for(text);
    std::string details = cat("<details><summary>", outcome, ": ", markdown_escaped(printable(title)),
                              "</summary>\n\n", fence, "text\n", text, fence, "\n\n</details>\n\n");
    entries.bytes += row.size() + details.size();
    entries.rows.push_back(std::move(row));
    entries.details.push_back(std::move(details));
  }

  // The table has at most two fifths of the room.
  [[nodiscard]] std::string text(const ReportTail& tail) const override {
    constexpr std::int64_t kFifths = 5;
    constexpr std::int64_t kForNotes = 256;
    std::string out =
        cat("## ", markdown_escaped(settings_.title), ": ", markdown_escaped(tail.summary), "\n\n");
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
    std::vector<std::string> rows = {};  // of the table
    std::vector<std::string> details = {};
    std::size_t bytes = 0;
    std::int64_t count = 0;  // of all entries, kept or not
  };
  FileReportSettings settings_;
  Entries shrunk_;
  Entries failed_;
};

}  // namespace

std::unique_ptr<FileReport> junit_report(FileReportSettings settings) {
  return std::make_unique<JUnitReport>(std::move(settings.title));
}

std::unique_ptr<FileReport> markdown_report(FileReportSettings settings) {
  return std::make_unique<MarkdownReport>(std::move(settings));
}

}  // namespace tensorop
