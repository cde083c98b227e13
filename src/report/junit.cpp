#include "report/junit.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
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

}  // namespace

std::string JUnitReport::test_xml(const Finding& finding, Verdict verdict, const std::string& reasons) {
  std::string out = cat("    <testcase", attribute("classname", finding.suite),
                        attribute("name", finding.name), attribute("file", finding.place.file));
  if (finding.place.line != 0) out += attribute("line", cat(finding.place.line));
  out += attribute("time", seconds_text(finding.seconds));
  if (reasons.empty()) return out + "/>\n";
  if (verdict == Verdict::passed) {
    return cat(out, ">\n      <system-out>", escaped(reasons), "</system-out>\n    </testcase>\n");
  }
  const std::string first_line = reasons.substr(0, reasons.find('\n'));
  if (verdict == Verdict::skipped) {
    return cat(out, ">\n      <skipped", attribute("message", first_line), "/>\n    </testcase>\n");
  }
  const std::string_view tag = verdict == Verdict::failure ? "failure" : "error";
  return cat(out, ">\n      <", tag, attribute("message", first_line), ">", escaped(reasons), "</", tag,
             ">\n    </testcase>\n");
}

std::string JUnitReport::attributes_of(const Totals& totals) {
  const std::string skipped = totals.skipped == 0 ? "" : attribute("skipped", cat(totals.skipped));
  return cat(attribute("tests", cat(totals.tests)), attribute("failures", cat(totals.failures)),
             attribute("errors", cat(totals.errors)), skipped,
             attribute("time", seconds_text(totals.seconds)));
}

void JUnitReport::add(const Finding& finding, ReportKind kind) {
  Verdict verdict = Verdict::passed;
  if (finding.outcome == Outcome::skipped) verdict = Verdict::skipped;
  if (is_failure(finding.outcome)) verdict = Verdict::error;
  for (const Outcome outcome : {Outcome::different, Outcome::missing, Outcome::extra}) {
    if (finding.outcome == outcome) verdict = Verdict::failure;
  }
  add_test(finding, verdict, reasons_of(finding, kind));
}

void JUnitReport::add_test(const Finding& finding, Verdict verdict, const std::string& reasons) {
  // Most tests are of the suite of the one before.
  auto suite = std::find_if(suites_.rbegin(), suites_.rend(),
                            [&](const Suite& other) { return other.name == finding.suite; });
  if (suite == suites_.rend()) {
    suites_.push_back({.name = finding.suite});
    suite = suites_.rbegin();
  }
  suite->tests += test_xml(finding, verdict, reasons);
  Totals& totals = suite->totals;
  ++totals.tests;
  if (verdict == Verdict::failure) ++totals.failures;
  if (verdict == Verdict::error) ++totals.errors;
  if (verdict == Verdict::skipped) ++totals.skipped;
  totals.seconds += finding.seconds;
}

std::string JUnitReport::text(const Counts& /*counts*/, const std::string& /*summary*/) const {
  return text();
}

std::string JUnitReport::text() const {
  Totals all;
  std::string suites;
  for (const auto& [name, tests, totals] : suites_) {
    all.tests += totals.tests;
    all.failures += totals.failures;
    all.errors += totals.errors;
    all.skipped += totals.skipped;
    all.seconds += totals.seconds;
    suites +=
        cat("  <testsuite", attribute("name", name), attributes_of(totals), ">\n", tests, "  </testsuite>\n");
  }
  return cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", attribute("name", name_),
             attributes_of(all), ">\n", suites, "</testsuites>\n");
}

}  // namespace tensorop
