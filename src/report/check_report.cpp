#include "report/check_report.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "golden/judge.hpp"
#include "report/compare_report.hpp"
#include "report/json_object.hpp"
#include "report/report_lines.hpp"

namespace tensorop {
namespace {

std::string_view name(CaseOutcome outcome) {
  constexpr std::string_view kOutcomeNames[] = {"equal", "different", "error", "updated", "skipped", "done"};
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

std::string header_text(const OutputInfo& result) {
  return cat(name(result.dtype), " ", to_string(result.shape));
}

std::string missing_line(const std::vector<std::string>& paths) {
  std::vector<std::string> shown;
  for (const std::string& path : paths) shown.push_back(printable(path));
  if (shown.size() == 1) return cat("no result: ", shown[0], " does not exist\n");
  return cat("no result: none of ", join(shown), " exists\n");
}

// Instead of the expected error.
std::string found_instead(const CaseResult& result) {
  if (result.error) return result.error->what();
  if (result.program) return "exit status 0";
  return result.actual.empty() ? header_text(*result.result) : printable(result.actual);
}

// Before the error of a call that should have failed with another one.
std::string expected_lead(const Job& job, const CaseResult& result) {
  if (!expects_error(job) || result.program) return {};
  return cat("expected the error ", in_quotes(job.expect->text), ", found ");
}

std::string different_lines(const Job& job, const CaseResult& result) {
  if (result.comparison) return report_text(*result.comparison);
  if (!result.missing.empty()) return missing_line(result.missing);
  if (result.program && !expects_error(job)) return "no result: the program has written none\n";
  return cat("expected the error ", in_quotes(job.expect->text), ", found ", found_instead(result), "\n");
}

// What a program has written.
std::string program_lines(const CaseResult& result) {
  if (!result.program || result.program->end.output.empty()) return {};
  std::string out = "the program wrote:\n";
  if (result.program->end.is_output_cut) out += "  ...\n";
  std::string_view rest = result.program->end.output;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += cat("  ", printable(rest.substr(0, end)), "\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::string updated_lines(const Job& job, const CaseResult& result) {
  const std::string path = printable(job.expect->text);
  if (*result.update == GoldenUpdate::created) return cat(path, ": new: ", header_text(*result.result), "\n");
  return cat(path, ": it was different:\n", report_text(*result.comparison));
}

// ------------------------------------------------------------------------------------------------ JSON

std::string header_json(const OutputInfo& result) {
  return JsonObjectText()
      .add("dtype", json_string(name(result.dtype)))
      .add("shape", json_integers(result.shape))
      .text();
}

// A path is bytes, and JSON is UTF-8.
std::string path_json(const std::string& path) {
  return json_string(is_utf8(path) ? path : printable(path));
}

std::string program_json(const ProgramRun& run) {
  std::string words;
  for (const std::string& word : run.words) words += cat(words.empty() ? "" : ",", path_json(word));
  const bool has_exited = run.end.kind == ChildEnd::Kind::exited;
  const bool by_signal = run.end.kind == ChildEnd::Kind::signalled;
  return JsonObjectText()
      .add("command", cat("[", words, "]"))
      .add("exit_status", has_exited ? cat(run.end.status) : "null")
      .add("signal", by_signal ? cat(run.end.status) : "null")
      .add("timed_out", json_bool(run.end.kind == ChildEnd::Kind::timed_out))
      .add("output", json_string(run.end.output))
      .text();
}

std::string paths_json(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) out += cat(out.empty() ? "" : ",", path_json(path));
  return cat("[", out, "]");
}

std::string update_json(const CaseResult& result) {
  if (!result.update) return "null";
  return json_string(*result.update == GoldenUpdate::created ? "new" : "different");
}

// What is expected, where it is of that kind.
std::string expected_json(const Job& job, Expectation::Kind kind) {
  if (!job.expect || job.expect->kind != kind) return "null";
  return kind == Expectation::Kind::file ? path_json(job.expect->text) : json_string(job.expect->text);
}

std::string skipped_json(const Skipped& skipped) {
  return JsonObjectText()
      .add("what", json_string(skipped.what))
      .add("reason", json_string(skipped.reason))
      .text();
}

std::string case_json(const Job& job, const CaseResult& result) {
  std::string warnings;
  for (const std::string& line : result.warnings) {
    warnings += cat(warnings.empty() ? "" : ",", json_string(line));
  }
  return JsonObjectText()
      .add("name", json_string(job.name))
      .add("file", path_json(job.file))
      .add("line", job.folder.empty() ? cat(job.line) : "null")
      .add("outcome", json_string(name(result.outcome)))
      .add("seconds", seconds_text(result.seconds))
      .add("program", result.program ? program_json(*result.program) : "null")
      .add("actual", result.actual.empty() ? "null" : path_json(result.actual))
      .add("missing", result.missing.empty() ? "null" : paths_json(result.missing))
      .add("result", result.result ? header_json(*result.result) : "null")
      .add("golden", expected_json(job, Expectation::Kind::file))
      .add("updated", update_json(result))
      .add("comparison", result.comparison ? comparison_json(*result.comparison) : "null")
      .add("expected_error", expected_json(job, Expectation::Kind::error))
      .add("error", result.error ? error_json(*result.error) : "null")
      .add("warnings", cat("[", warnings, "]"))
      .add("same_bits", result.same_bits ? json_bool(*result.same_bits) : "null")
      .add("skipped", job.skipped ? skipped_json(*job.skipped) : "null")
      .text();
}

// The key and its value, where there is a shard.
std::string shard_json(const std::optional<Shard>& shard) {
  if (!shard) return "";
  const JsonObjectText object =
      JsonObjectText().add("number", cat(shard->number)).add("count", cat(shard->count));
  return cat("\"shard\":", object.text(), ",");
}

std::string reasons_of_outcome(const Job& job, const CaseResult& result) {
  switch (result.outcome) {
    case CaseOutcome::equal:
    case CaseOutcome::done:
      return "";
    case CaseOutcome::different:
      return different_lines(job, result) + program_lines(result);
    case CaseOutcome::error:
      return expected_lead(job, result) + error_lines(*result.error) + program_lines(result);
    case CaseOutcome::updated:
      return updated_lines(job, result);
    case CaseOutcome::skipped:
      return cat(job.skipped->reason, "\n");
  }
  __builtin_unreachable();
}

}  // namespace

std::string case_reasons(const Job& job, const CaseResult& result) {
  std::string lines = reasons_of_outcome(job, result);
  for (const std::string& line : result.warnings) lines += cat("warning: ", line, "\n");
  return lines;
}

std::string case_text(const Job& job, const CaseResult& result) {
  if (result.outcome == CaseOutcome::equal && result.warnings.empty()) return {};
  const std::string location = job.location();
  if (result.outcome == CaseOutcome::skipped) return cat(location, ": skipped: ", case_reasons(job, result));
  // An ONNX case is called as its folder, which is its location.
  const bool has_name = job.folder.empty() && job.name != location;
  const std::string called = has_name ? cat(": ", printable(job.name)) : "";
  return cat(location, ": ", name(result.outcome), called, "\n", indented(case_reasons(job, result)));
}

namespace {

// The job file; of an ONNX case the folder that its folder is in.
std::string suite_of(const Job& job) {
  return job.folder.empty() ? job.file : directory_of(directory_of(job.file));
}

JUnitOutcome junit_outcome(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::different:
      return JUnitOutcome::failure;
    case CaseOutcome::error:
      return JUnitOutcome::error;
    case CaseOutcome::skipped:
      return JUnitOutcome::skipped;
    case CaseOutcome::equal:
    case CaseOutcome::updated:
    case CaseOutcome::done:
      return JUnitOutcome::passed;
  }
  __builtin_unreachable();
}

}  // namespace

std::string skipped_text(const CheckCounts& counts) {
  constexpr std::size_t kMostShown = 5;
  std::vector<std::pair<std::string, std::int64_t>> by_count(counts.skipped_by.begin(),
                                                             counts.skipped_by.end());
  std::ranges::stable_sort(by_count, std::greater<>(), &std::pair<std::string, std::int64_t>::second);
  std::vector<std::string> shown;
  for (const auto& [what, count] : by_count) {
    if (shown.size() == kMostShown) {
      shown.emplace_back("...");
      break;
    }
    shown.push_back(cat(what, " ", count));
  }
  return cat(counts.skipped, " skipped (", join(shown), ")");
}

std::string summary_text(const CheckCounts& counts, const std::vector<UnreadableCases>& unreadable) {
  const std::int64_t all = counts.cases();
  const std::string cases = cat(all, all == 1 ? " case: " : " cases: ");
  const std::string bits = counts.equal_onnx == 0 ? "" : cat(" (", counts.same_bits, " bit for bit)");
  std::string more;
  if (counts.left_out != 0) more += cat("; ", counted(counts.left_out, "element"), " left out");
  if (counts.skipped != 0) more += cat("; ", skipped_text(counts));
  if (all == 0 && unreadable.empty()) return cat("0 cases", more, "\n");
  if (counts.equal == all && unreadable.empty()) {
    return cat(cases, all == 1 ? "equal" : "all equal", bits, more, "\n");
  }
  std::vector<std::string> parts = {cat(counts.equal, " equal", bits)};
  if (counts.different != 0) parts.push_back(cat(counts.different, " different"));
  if (counts.error != 0) parts.push_back(counted(counts.error, "error"));
  if (counts.updated != 0) parts.push_back(cat(counts.updated, " updated"));
  if (!unreadable.empty()) parts.push_back(cat(counted(to_int64(unreadable.size()), "file"), " unreadable"));
  return cat(cases, join(parts), more, "\n");
}

JUnitTest junit_test(const Job& job, const CaseResult& result) {
  JUnitTest test{.suite = suite_of(job), .name = job.name, .file = job.file, .line = job.line};
  test.outcome = junit_outcome(result.outcome);
  test.text = case_reasons(job, result);
  test.seconds = result.seconds;
  return test;
}

JUnitTest junit_test(const UnreadableCases& cases) {
  return {.suite = cases.path,
          .name = cases.path,
          .file = cases.path,
          .outcome = JUnitOutcome::error,
          .text = error_lines(cases.error)};
}

std::string CheckJson::lead(std::string_view separator) {
  if (std::exchange(has_begun_, true)) return std::string(separator);
  return cat("{\"schema_version\":", kReportSchemaVersion, ",\"cases\":[\n");
}

std::string CheckJson::add(const Job& job, const CaseResult& result) {
  return cat(lead(",\n"), case_json(job, result));
}

std::string CheckJson::finish(const CheckCounts& counts, const std::vector<UnreadableCases>& unreadable) {
  std::string files;
  for (const auto& [path, error] : unreadable) {
    files += cat(files.empty() ? "" : ",",
                 JsonObjectText().add("file", path_json(path)).add("error", error_json(error)).text());
  }
  JsonObjectText summary;
  summary.add("cases", cat(counts.cases()))
      .add("equal", cat(counts.equal))
      .add("different", cat(counts.different))
      .add("error", cat(counts.error))
      .add("updated", cat(counts.updated));
  if (counts.skipped != 0) summary.add("skipped", cat(counts.skipped));
  if (counts.equal_onnx != 0) summary.add("same_bits", cat(counts.same_bits));
  if (counts.left_out != 0) summary.add("left_out", cat(counts.left_out));
  return cat(lead("\n"), "],\"unreadable\":[", files, "],", shard_json(shard_),
             "\"summary\":", summary.text(), "}\n");
}

}  // namespace tensorop
