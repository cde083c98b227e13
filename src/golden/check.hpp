// Golden checks: jobs whose results are compared with what is expected of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "jobs/batch.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

enum class Verdict : std::uint8_t {
  equal,
  different,
  error,    // there was nothing to compare
  updated,  // the golden file has been rewritten
};

struct CaseResult {
  Verdict verdict = Verdict::equal;
  std::string report;  // lines that say why; empty for equal
  double seconds = 0;
};

struct CheckSettings {
  BatchSettings batch;
  bool update = false;  // rewrite golden files that are missing or differ
};

// Takes the results in the order of the jobs, one call at a time. Steps without an expectation are reported
// only when they come to nothing.
using CaseReport = std::function<void(const Job& job, const CaseResult& result)>;

void check_cases(const std::vector<Job>& jobs, const CheckSettings& settings, const CaseReport& report);

}  // namespace tensorop
