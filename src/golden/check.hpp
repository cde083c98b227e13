// Golden checks: runs jobs and compares their results with the expected ones. The outcome is data; report/
// makes text, JSON and JUnit XML of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "golden/compare.hpp"
#include "golden/program.hpp"
#include "jobs/batch.hpp"
#include "jobs/jobs.hpp"
#include "ops/operator.hpp"

namespace tensorop {

enum class CaseOutcome : std::uint8_t {
  equal,      // the expected result or error
  different,  // another result, another error, or none
  error,      // the call or the comparison failed
  updated,    // the golden file has been rewritten
  skipped,    // tensorop does not have it: Job::skipped
  done,       // a step without an expectation: only where it has warnings
};

// Why a golden file has been rewritten.
enum class GoldenUpdate : std::uint8_t {
  created,   // it did not exist
  replaced,  // it was different
};

struct CaseResult {
  CaseOutcome outcome = CaseOutcome::equal;
  std::optional<ProgramRun> program;     // of the case, where a program was run; its result file is gone
  std::string actual;                    // the file of another program's result, where that was judged
  std::vector<std::string> missing;      // the files that it could be, where there is none
  std::optional<OutputInfo> result;      // dtype and shape, where there was a result
  std::optional<Comparison> comparison;  // of the result with the expected tensor, where there was one
  // The error of the call, also where an error was expected, or why there is no verdict.
  std::shared_ptr<const Failure> error;
  // Of an ONNX case whose elements were compared: whether they have the same bits, which equal ones need not.
  std::optional<bool> same_bits;
  std::optional<GoldenUpdate> update;  // of `updated` only
  // Of the call, the comparison and the update, as Settings::warn has them.
  std::vector<std::string> warnings;
  double seconds = 0;  // of the same
};

struct CheckCounts {
  std::int64_t equal = 0;
  std::int64_t different = 0;
  std::int64_t error = 0;
  std::int64_t updated = 0;
  std::int64_t skipped = 0;
  std::map<std::string, std::int64_t> skipped_by;  // Skipped::what of these
  std::int64_t equal_onnx = 0;  // of the equal ones: ONNX cases, and those of them with the same bits
  std::int64_t same_bits = 0;
  std::int64_t left_out = 0;  // elements that were not compared

  // Those that were run.
  [[nodiscard]] std::int64_t cases() const { return equal + different + error + updated; }
  void add(const Job& job, const CaseResult& result);
};

struct CheckSettings {
  BatchSettings batch;
  bool update = false;  // rewrite golden files that are missing or differ with what tensorop computes
  // Where not empty: the folder with the results of another program, which are judged instead (external.hpp).
  // Not with `update`.
  std::string actual_folder = {};
  // Where given: this program computes the results that are judged, whatever other files there are. Not with
  // `update`.
  std::optional<ProgramSettings> program = {};
  std::int64_t show = 0;     // as CompareOptions::show
  bool ignore_open = false;  // compare no element that a case's version leaves open, as Job::ignore_open
};

// Takes the results in the order of the jobs, one call at a time. Steps without an expectation are reported
// only when they fail or have warnings, and counted only when they fail. An exception from it ends the check.
using CaseReport = std::function<void(const Job& job, const CaseResult& result)>;

// A case that has `actual`, and any with an actual_folder or a program, judges the result of another program:
// there must be none where an error is expected, and the program must fail; where nothing is, it must be what
// tensorop computes. With `update` such a case is judged only if it has no golden file to rewrite.
//
// With `update` golden files are outputs: cases that write or read the same one run in the order of the
// jobs, so that results do not depend on how many run concurrently. Throws Error where one file is the
// result of two cases.
CheckCounts check_cases(std::vector<Job> jobs, const CheckSettings& settings, const CaseReport& report);

}  // namespace tensorop
