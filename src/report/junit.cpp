#include "report/junit.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/json_object.hpp"

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

std::string test_xml(const JUnitTest& test) {
  std::string out = cat("    <testcase", attribute("classname", test.suite), attribute("name", test.name),
                        attribute("file", test.file));
  if (test.line != 0) out += attribute("line", cat(test.line));
  out += attribute("time", seconds_text(test.seconds));
  if (test.text.empty()) return out + "/>\n";
  if (test.outcome == JUnitOutcome::passed) {
    return cat(out, ">\n      <system-out>", xml(test.text), "</system-out>\n    </testcase>\n");
  }
  const std::string first_line = test.text.substr(0, test.text.find('\n'));
  if (test.outcome == JUnitOutcome::skipped) {
    return cat(out, ">\n      <skipped", attribute("message", first_line), "/>\n    </testcase>\n");
  }
  const std::string_view tag = test.outcome == JUnitOutcome::failure ? "failure" : "error";
  return cat(out, ">\n      <", tag, attribute("message", first_line), ">", xml(test.text), "</", tag,
             ">\n    </testcase>\n");
}

void count(JUnitCounts& counts, const JUnitTest& test) {
  ++counts.tests;
  if (test.outcome == JUnitOutcome::failure) ++counts.failures;
  if (test.outcome == JUnitOutcome::error) ++counts.errors;
  if (test.outcome == JUnitOutcome::skipped) ++counts.skipped;
  counts.seconds += test.seconds;
}

std::string count_attributes(const JUnitCounts& counts) {
  const std::string skipped = counts.skipped == 0 ? "" : attribute("skipped", cat(counts.skipped));
  return cat(attribute("tests", cat(counts.tests)), attribute("failures", cat(counts.failures)),
             attribute("errors", cat(counts.errors)), skipped,
             attribute("time", seconds_text(counts.seconds)));
}

}  // namespace

void JUnitReport::add(const JUnitTest& test) {
  // Most tests are of the suite of the one before.
  auto suite = std::find_if(suites_.rbegin(), suites_.rend(),
                            [&](const Suite& other) { return other.name == test.suite; });
  if (suite == suites_.rend()) {
    suites_.push_back({test.suite, {}, {}});
    suite = suites_.rbegin();
  }
  suite->tests += test_xml(test);
  count(suite->counts, test);
}

std::string JUnitReport::text() const {
  JUnitCounts all;
  std::string suites;
  for (const auto& [name, tests, counts] : suites_) {
    all.tests += counts.tests;
    all.failures += counts.failures;
    all.errors += counts.errors;
    all.skipped += counts.skipped;
    all.seconds += counts.seconds;
    suites += cat("  <testsuite", attribute("name", name), count_attributes(counts), ">\n", tests,
                  "  </testsuite>\n");
  }
  return cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", attribute("name", name_),
             count_attributes(all), ">\n", suites, "</testsuites>\n");
}

}  // namespace tensorop
