#include "report/junit.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/check_report.hpp"

namespace tensorop {
namespace {

// XML 1.0 has no way to write most control characters, and the text must be UTF-8.
std::string xml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    if (character == "&") {
      out += "&amp;";
    } else if (character == "<") {
      out += "&lt;";
    } else if (character == ">") {
      out += "&gt;";
    } else if (character == "\"") {
      out += "&quot;";
    } else if (character == "\n") {
      out += "&#10;";
    } else if (length == 0 || character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") {
      out += "\xEF\xBF\xBD";
    } else {
      out += length == 1 ? printable(character) : std::string(character);
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return cat(" ", name, "=\"", xml(value), "\"");
}

std::string case_xml(const Job& job, const CaseResult& result) {
  std::string out = cat("    <testcase", attribute("classname", job.file), attribute("name", job.name),
                        attribute("file", job.file), attribute("line", cat(job.line)),
                        attribute("time", seconds_text(result.seconds)));
  if (result.outcome == CaseOutcome::equal) return out + "/>\n";
  const std::string reasons = case_reasons(job, result);
  if (result.outcome == CaseOutcome::updated) {
    return cat(out, ">\n      <system-out>", xml(reasons), "</system-out>\n    </testcase>\n");
  }
  const std::string_view tag = result.outcome == CaseOutcome::different ? "failure" : "error";
  const std::string first_line = reasons.substr(0, reasons.find('\n'));
  return cat(out, ">\n      <", tag, attribute("message", first_line), ">", xml(reasons), "</", tag,
             ">\n    </testcase>\n");
}

std::string count_attributes(const CheckCounts& counts, double seconds) {
  return cat(attribute("tests", cat(counts.cases())), attribute("failures", cat(counts.different)),
             attribute("errors", cat(counts.error)), attribute("time", seconds_text(seconds)));
}

}  // namespace

void JUnitReport::add(const Job& job, const CaseResult& result) {
  if (suites_.empty() || suites_.back().file != job.file) suites_.push_back({job.file, {}, {}, 0});
  Suite& suite = suites_.back();
  suite.cases += case_xml(job, result);
  suite.counts.add(result.outcome);
  suite.seconds += result.seconds;
}

std::string JUnitReport::text() const {
  CheckCounts counts;
  double seconds = 0;
  std::string suites;
  for (const Suite& suite : suites_) {
    counts += suite.counts;
    seconds += suite.seconds;
    suites += cat("  <testsuite", attribute("name", suite.file),
                  count_attributes(suite.counts, suite.seconds), ">\n", suite.cases, "  </testsuite>\n");
  }
  return cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", attribute("name", "tensorop check"),
             count_attributes(counts, seconds), ">\n", suites, "</testsuites>\n");
}

}  // namespace tensorop
