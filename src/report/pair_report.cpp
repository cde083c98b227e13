#include "report/pair_report.hpp"

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/compare_report.hpp"
#include "report/json_object.hpp"
#include "report/report_lines.hpp"

namespace tensorop {
namespace {

std::string_view name(PairOutcome outcome) {
  constexpr std::string_view kOutcomeNames[] = {"equal", "different", "missing", "extra", "error"};
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

// Lines; the first one begins with the outcome.
std::string reasons(const PairResult& result, const std::string& actual, const std::string& expected) {
  switch (result.outcome) {
    case PairOutcome::equal:
      return "";
    case PairOutcome::different:
      return report_text(*result.comparison);
    case PairOutcome::missing:
      return cat("missing: only in ", printable(expected), "\n");
    case PairOutcome::extra:
      return cat("extra: only in ", printable(actual), "\n");
    case PairOutcome::error:
      return cat("error: ", error_lines(*result.error));
  }
  __builtin_unreachable();
}

std::string path_or_null(const std::string& path) {
  return path.empty() ? "null" : json_string(path);
}

}  // namespace

std::string pair_text(const PairResult& result, const std::string& actual, const std::string& expected) {
  const std::string lines = reasons(result, actual, expected);
  if (lines.empty()) return {};
  const std::size_t first = lines.find('\n') + 1;
  return cat(printable(result.name), ": ", lines.substr(0, first), indented(lines.substr(first)));
}

std::string summary_text(const PairCounts& counts) {
  const std::int64_t all = counts.pairs();
  const std::string tensors = cat(counted(all, "tensor"), ": ");
  if (counts.equal == all) return cat(tensors, all == 1 ? "equal\n" : "all equal\n");
  std::vector<std::string> parts = {cat(counts.equal, " equal")};
  if (counts.different != 0) parts.push_back(cat(counts.different, " different"));
  if (counts.missing != 0) parts.push_back(cat(counts.missing, " missing"));
  if (counts.extra != 0) parts.push_back(cat(counts.extra, " extra"));
  if (counts.error != 0) parts.push_back(counted(counts.error, "error"));
  return cat(tensors, join(parts), "\n");
}

JUnitTest junit_test(const PairResult& result, const std::string& actual, const std::string& expected) {
  JUnitTest test{.suite = expected, .name = result.name};
  test.file = result.expected.empty() ? result.actual : result.expected;
  test.outcome = result.outcome == PairOutcome::equal   ? JUnitOutcome::passed
                 : result.outcome == PairOutcome::error ? JUnitOutcome::error
                                                        : JUnitOutcome::failure;
  test.text = reasons(result, actual, expected);
  test.seconds = result.seconds;
  return test;
}

PairsJson::PairsJson(const std::string& actual, const std::string& expected)
    : begin_(cat("{\"schema_version\":", kReportSchemaVersion, ",\"actual\":", json_string(actual),
                 ",\"expected\":", json_string(expected), ",\"pairs\":[\n")) {}

std::string PairsJson::lead(std::string_view separator) {
  return std::exchange(has_begun_, true) ? std::string(separator) : begin_;
}

std::string PairsJson::add(const PairResult& result) {
  return lead(",\n") +
         JsonObjectText()
             .add("name", json_string(result.name))
             .add("outcome", json_string(name(result.outcome)))
             .add("actual", path_or_null(result.actual))
             .add("expected", path_or_null(result.expected))
             .add("comparison", result.comparison ? comparison_json(*result.comparison) : "null")
             .add("error", result.error ? error_json(*result.error) : "null")
             .text();
}

std::string PairsJson::finish(const PairCounts& counts) {
  const std::string summary = JsonObjectText()
                                  .add("tensors", cat(counts.pairs()))
                                  .add("equal", cat(counts.equal))
                                  .add("different", cat(counts.different))
                                  .add("missing", cat(counts.missing))
                                  .add("extra", cat(counts.extra))
                                  .add("error", cat(counts.error))
                                  .text();
  return cat(lead("\n"), "],\"equal\":", json_bool(counts.equal == counts.pairs()), ",\"summary\":", summary,
             "}\n");
}

}  // namespace tensorop
