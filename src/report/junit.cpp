#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "report/file_report.hpp"
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
    if (finding.outcome == Outcome::skipped) verdict = Verdict::skipped;
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
    suite->tests += test_xml(finding, verdict, reasons_of(finding, kind));
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

}  // namespace

std::unique_ptr<FileReport> junit_report(FileReportSettings settings) {
  return std::make_unique<JUnitReport>(std::move(settings.title));
}

}  // namespace tensorop
