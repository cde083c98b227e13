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
// calls of all.
//
// A case is reported as check_cases() does if it takes the result of another job, or if its call does not
// fail in the same way again: because the program is not the same each time, or because what the case
// expects is not what tensorop computes.
void shrink_cases(std::vector<Job> jobs, const CheckSettings& settings, std::chrono::duration<double> budget,
                  const FindingReport& report);

}  // namespace tensorop
