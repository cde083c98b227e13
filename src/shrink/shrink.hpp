// `check --shrink`: finds, by running the program, the smallest call that fails in the same way as a group of
// cases.
#pragma once

#include <chrono>
#include <vector>

#include "check/check.hpp"
#include "compare/finding.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// check_cases() with a program. Cases that differ and can be made smaller are held back until all have run,
// and become one finding (Finding::shrunk) for each way of failing: operator, attributes, dtype, kind of
// difference, rule. Ways whose smallest calls are equal become one. `budget` is the time for the smaller
// calls of all. At the end each smallest case is run once more from its file, by the program and by tensorop.
//
// A case is reported as check_cases() does if it takes the result of another job, or if its call does not
// fail in the same way again. If because the program is not the same each time, and not because what the case
// expects is not what tensorop computes, one finding for each way says so (Shrunk::fails_again).
void shrink_cases(const std::vector<Job>& jobs, const CheckSettings& settings,
                  std::chrono::duration<double> budget, const FindingReport& report);

}  // namespace tensorop
