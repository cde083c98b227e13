#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "report/file_report.hpp"

namespace tensorop {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return cat(" ", name, "=\"", escaped(value), "\"");
}

std::string seconds_text(double seconds) {
  char text[64];
  constexpr int kDecimals = 3;  // the most that junit-10.xsd has allowed
  const auto result = std::to_chars(text, text + sizeof text, seconds, std::chars_format::fixed, kDecimals);
  return {text, result.ptr};
}

// Keeps the XML of all tests in memory, because the counts come before them.
class JUnitReport : public FileReport {
 public:
  explicit JUnitReport(const ReportKind& kind) : kind_(kind), name_(FileReportSettings{kind}.title()) {}

  void add(const Finding& finding) override {
    const auto suite = suite_of(finding);
    const std::string reasons = reasons_of(finding);
    if (finding.shrunk) {
      suite->output += cat(finding.name, ": ", reasons);
      return;
    }
    suite->counts.add(finding);
    const Verdict verdict = row_of(finding.outcome).verdict;
    const bool has_lead = finding.known || (verdict == Verdict::skipped && !finding.skipped);
    const std::string lead = has_lead ? cat(label(finding.outcome), ": ") : "";
    suite->tests += test_xml(finding, verdict, lead + reasons, place_of(finding, kind_));
    ++suite->totals.tests[static_cast<std::size_t>(verdict)];
    suite->totals.seconds += finding.seconds;
  }

  [[nodiscard]] std::string text(const ReportTail& tail) const override {
    const auto suite_xml = [&](const Suite& suite, bool is_first) {
      return cat(
          "  <testsuite", attribute("name", suite.name), attributes_of(suite.totals),
          attribute("skipped", cat(suite.totals.tests[3])), ">\n",
          properties_xml(suite.counts, is_first ? &tail.end : nullptr), suite.tests,
          suite.output.empty() ? "" : cat("    <system-out>", escaped(suite.output), "</system-out>\n"),
          "  </testsuite>\n");
    };
    Totals all;
    std::string suites;
    for (const Suite& suite : suites_) {
      for (std::size_t i = 0; i < all.tests.size(); ++i) all.tests[i] += suite.totals.tests[i];
      all.seconds += suite.totals.seconds;
      suites += suite_xml(suite, suites.empty());
    }
    // What was counted alone.
    if (suites_.empty() && !properties_xml({}, &tail.end).empty()) suites = suite_xml({.name = name_}, true);
    return cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", attribute("name", name_),
               attributes_of(all), ">\n", suites, "</testsuites>\n");
  }

 private:
  using Verdict = OutcomeRow::Verdict;
  struct Totals {
    std::array<std::int64_t, 4> tests = {};  // number of tests by verdict
    double seconds = 0;
  };
  struct Suite {
    std::string name;
    std::string tests = {};   // XML
    std::string output = {};  // text
    Totals totals = {};
    Counts counts = {};
  };

  // Searches backwards: most tests belong to the previous test's suite.
  std::vector<Suite>::reverse_iterator suite_of(const Finding& finding) {
    const auto known = std::find_if(suites_.rbegin(), suites_.rend(),
                                    [&](const Suite& other) { return other.name == finding.suite; });
    if (known != suites_.rend()) return known;
    suites_.push_back({.name = finding.suite});
    return suites_.rbegin();
  }

  // The nonzero numbers of a suite; `whole`: the numbers of the whole run that belong to no suite.
  [[nodiscard]] std::string properties_xml(const Counts& counts, const ReportEnd* whole) const {
    std::string out;
    const auto add = [&](std::string_view name, const std::string& value) {
      out += cat("      <property", attribute("name", name), attribute("value", value), "/>\n");
    };
    Counts own = counts;
    if (whole != nullptr) {
      own[Outcome::up_to_date] = whole->counts[Outcome::up_to_date];
      own.shrunk = whole->counts.shrunk;
      own.not_again = whole->counts.not_again;
    }
    for (const auto& [name, count] : numbers_of({own, whole != nullptr ? whole->not_run : 0}, kind_)) {
      if (count != 0) add(name, cat(count));
    }
    if (whole != nullptr) {
      for (const Unseen& entry : whole->counts.unseen) add("not looked at", unseen_text(entry));
    }
    return out.empty() ? "" : cat("    <properties>\n", out, "    </properties>\n");
  }

  // `reasons`: lines: why the test did not pass or was not run; if it passed, its output. The schemas of
  // Jenkins, Ant and Maven have no place of a test: what does not pass begins with it.
  static std::string test_xml(const Finding& finding, Verdict verdict, const std::string& reasons,
                              const std::string& place) {
    std::string out = cat("    <testcase", attribute("classname", finding.suite),
                          attribute("name", finding.name), attribute("time", seconds_text(finding.seconds)));
    if (reasons.empty()) return out + "/>\n";
    const std::string message = attribute("message", reasons.substr(0, reasons.find('\n')));
    const auto element = [&](std::string_view tag, std::string_view attributes) {
      const std::string begin = verdict == Verdict::passed || place.empty() ? "" : cat(place, ": ");
      return cat("<", tag, attributes, ">", escaped(begin + reasons), "</", tag, ">");
    };
    return cat(out, ">\n      ",
               verdict == Verdict::passed    ? element("system-out", "")
               : verdict == Verdict::skipped ? cat("<skipped", message, "/>")
                                             : element(verdict == Verdict::failure ? "failure" : "error",
                                                       message + attribute("type", name(finding.outcome))),
               "\n    </testcase>\n");
  }

  static std::string attributes_of(const Totals& totals) {
    const auto [passed, failures, errors, skipped] = totals.tests;
    return cat(attribute("tests", cat(passed + failures + errors + skipped)),
               attribute("failures", cat(failures)), attribute("errors", cat(errors)),
               attribute("time", seconds_text(totals.seconds)));
  }

  const ReportKind& kind_;
  std::string name_;
  std::vector<Suite> suites_;
};

}  // namespace

std::unique_ptr<FileReport> junit_report(const ReportKind& kind) {
  return std::make_unique<JUnitReport>(kind);
}

}  // namespace tensorop
