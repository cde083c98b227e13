// Which jobs of `run --missing` have something to do. Only names of files are looked at, never elements.
#pragma once

#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

// The jobs whose output does not exist or is not a regular file, linked among themselves. The jobs whose
// "@id" these use are kept too: without their outputs, where these exist. A job without an output is kept
// only for its "@id".
//
// Throws Error where the output of a job is read before that job overwrites it, by itself or by an earlier
// one: nothing shows which of the two the file holds.
[[nodiscard]] std::vector<Job> missing_jobs(const std::vector<Job>& jobs);

}  // namespace tensorop
