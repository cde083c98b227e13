// Golden checks: runs jobs and compares their results with the expected ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/external_program.hpp"
#include "compare/finding.hpp"
#include "jobs/batch.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

class KnownFailures;

struct CheckSettings {
  BatchSettings batch;
  bool update = false;  // rewrite golden files that are missing or differ with what tensorop computes
  // If not empty, the results of another program, which are judged instead: a folder of results, or one file
  // for a single case (case_files.hpp). Not with `update`.
  std::string actual = {};
  // If given, this program computes the results that are judged, whatever other files exist. Not with
  // `update`.
  std::optional<ProgramSettings> program = {};
  std::int64_t show = 0;      // as CompareOptions::show
  bool compare_open = false;  // of cases that do not say it: compare what their version leaves unspecified
  PictureOptions picture = {};
  bool keeps_tensors = false;      // for Finding::actual_tensor and expected_tensor
  KnownFailures* known = nullptr;  // null: none
  // With `program`: its refusals are errors if it has given a result for no valid case of the run.
  bool needs_proof = true;
};

// Reports the findings in the order of the jobs. Steps without an expectation are reported only when they
// fail or have warnings.
//
// A case with `actual`, and any case if the settings have results or a program, judges the result of another
// program. If the case expects an error, the result must be absent or the program must fail; if it expects
// nothing, the result must be what tensorop computes. With `update` such a case is judged only if it has no
// golden file to rewrite.
//
// With `update` golden files are outputs: cases that write or read the same one run in the order of the
// jobs, so that results do not depend on how many run concurrently. Throws Error if one file is the
// result of two cases.
void check_cases(std::vector<Job> jobs, const CheckSettings& settings, const FindingReport& report);

}  // namespace tensorop
