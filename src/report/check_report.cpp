#include "report/check_report.hpp"

#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"equal", "different", "error", "updated"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string indented(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    out += cat("  ", lines.substr(0, end));
    lines.remove_prefix(end);
  }
  return out;
}

std::string seconds_text(double seconds) {
  char text[64];
  constexpr int kMicroseconds = 6;
  const auto result =
      std::to_chars(text, text + sizeof text, seconds, std::chars_format::fixed, kMicroseconds);
  return {text, result.ptr};
}

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
  const std::string first_line = result.report.substr(0, result.report.find('\n'));
  switch (result.verdict) {
    case Verdict::equal:
      return out + "/>\n";
    case Verdict::different:
      return cat(out, ">\n      <failure", attribute("message", first_line), ">", xml(result.report),
                 "</failure>\n    </testcase>\n");
    case Verdict::error:
      return cat(out, ">\n      <error", attribute("message", first_line), ">", xml(result.report),
                 "</error>\n    </testcase>\n");
    case Verdict::updated:
      return cat(out, ">\n      <system-out>", xml(result.report), "</system-out>\n    </testcase>\n");
  }
  __builtin_unreachable();
}

}  // namespace

std::string case_text(const Job& job, const CaseResult& result) {
  if (result.verdict == Verdict::equal) return {};
  const std::string place = job.place();
  const std::string name = job.name == place ? "" : cat(": ", printable(job.name));
  return cat(place, ": ", verdict_name(result.verdict), name, "\n", indented(result.report));
}

void CheckReport::add(const Job& job, const CaseResult& result) {
  if (suites_.empty() || suites_.back().file != job.file) suites_.push_back({.file = job.file, .cases = {}});
  Suite& suite = suites_.back();
  suite.cases += case_xml(job, result);
  ++suite.tests;
  suite.failures += result.verdict == Verdict::different ? 1 : 0;
  suite.errors += result.verdict == Verdict::error ? 1 : 0;
  suite.seconds += result.seconds;
  updated_ += result.verdict == Verdict::updated ? 1 : 0;
}

CheckReport::Suite CheckReport::total() const {
  Suite sum;
  for (const Suite& suite : suites_) {
    sum.tests += suite.tests;
    sum.failures += suite.failures;
    sum.errors += suite.errors;
    sum.seconds += suite.seconds;
  }
  return sum;
}

std::string CheckReport::summary() const {
  const Suite sum = total();
  const std::int64_t equal = sum.tests - sum.failures - sum.errors - updated_;
  const std::string cases = cat(sum.tests, sum.tests == 1 ? " case: " : " cases: ");
  if (equal == sum.tests) return cat(cases, sum.tests == 1 ? "equal\n" : "all equal\n");
  std::vector<std::string> parts = {cat(equal, " equal")};
  if (sum.failures != 0) parts.push_back(cat(sum.failures, " different"));
  if (sum.errors != 0) parts.push_back(cat(sum.errors, sum.errors == 1 ? " error" : " errors"));
  if (updated_ != 0) parts.push_back(cat(updated_, " updated"));
  return cat(cases, join(parts), "\n");
}

std::string CheckReport::junit() const {
  const auto counts = [](const Suite& suite) {
    return cat(attribute("tests", cat(suite.tests)), attribute("failures", cat(suite.failures)),
               attribute("errors", cat(suite.errors)), attribute("time", seconds_text(suite.seconds)));
  };
  std::string out = cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites",
                        attribute("name", "tensorop check"), counts(total()), ">\n");
  for (const Suite& suite : suites_) {
    out += cat("  <testsuite", attribute("name", suite.file), counts(suite), ">\n", suite.cases,
               "  </testsuite>\n");
  }
  return out + "</testsuites>\n";
}

int CheckReport::status() const {
  const Suite sum = total();
  if (sum.errors != 0) return 2;
  return sum.failures != 0 ? 1 : 0;
}

}  // namespace tensorop
