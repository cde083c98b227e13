// The golden cases of testdata/cases, which hold the worked examples of the specification, through `check`.
// The format: testdata/cases/README.md. Shapes too large for them are in published_shapes.md.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace tensorop::cli_cases_test {
namespace {

// Changes a number, a bool or a NaN of a text, between two places; false where there is none.
bool change_element(std::string& text, std::size_t begin, std::size_t end) {
  const std::size_t number = text.find_first_of("0123456789", begin);
  if (text.substr(begin).starts_with("\"error\":\"")) {
    const std::size_t rule = text.find('"', text.find(':', begin)) + 1;
    const std::size_t length = text.find('"', rule) - rule;
    text.replace(rule, length, text.substr(rule, length) == "IX-1" ? "IX-2" : "IX-1");
    return true;
  }
  if (number < end) {
    // The last digit of a whole part: what it becomes fits wherever it fitted. A long number may be of a half
    // float, which its last digit does not change: the first digit becomes 1.
    const std::size_t last = text.find_first_not_of("0123456789", number) - 1;
    char& digit = last - number > 3 && text[number] != '1' ? text[number] : text[last];
    digit = digit == '1' ? '2' : '1';
    return true;
  }
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"true", "false"}, {"false", "true"}, {"\"NaN\"", "1"}}) {
    const std::size_t at = text.find(from, begin);
    if (at >= end) continue;
    text.replace(at, from.size(), to);
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the golden cases are equal, and different with one element or rule changed", "[cli][cases]") {
  struct Row {
    const char* file;
    std::int64_t cases;
    const char* refused;
  };
  for (const auto& [file, cases, refused] :
       std::vector<Row>{{"gather.json", 179, " (32 refused as expected)"},
                        {"scatter.json", 138, " (13 refused as expected)"},
                        {"slices.json", 17, " (2 refused as expected)"},
                        {"broadcast.json", 81, " (20 refused as expected)"},
                        {"elementwise.json", 102, " (18 refused as expected)"},
                        {"prose.json", 22, ""}}) {
    const std::string path = source_dir() + "/testdata/cases/" + std::string(file);
    const ProcessResult result = run_tensorop({"check", path});
    CAPTURE(file, result.err);
    // After the warnings of deprecated versions.
    CHECK(cat("\n", result.out).ends_with(cat("\n", cases, " cases: all equal", refused, "\n")));
    CHECK(result.status == 0);

    // None passes by itself: with one element of what is expected changed, or the digits of its rule, all
    // differ.
    std::string changed = get(path);
    std::int64_t bare = 0;  // expectations without elements, which are left as they are
    for (std::size_t at = changed.find("\"expect\":"); at != std::string::npos;
         at = changed.find("\"expect\":", at + 1)) {
      const std::size_t data = changed.find("\"data\":", at);
      const std::size_t error = changed.find("\"error\":", at);
      const std::size_t end = changed.find('\n', at);
      if (!change_element(changed, std::min(data, error), end)) ++bare;
    }
    const ProcessResult failed =
        run_tensorop({"check", "-"}, {.input = changed, .directory = {}, .environment = {}});
    const std::int64_t different = cases - bare;
    const std::string summary = cat("\n", cases, " cases: ", bare, " equal, ", different, " different");
    CHECK(failed.out.find(summary) != std::string::npos);
    CHECK(failed.status == 1);
  }
}

}  // namespace tensorop::cli_cases_test
