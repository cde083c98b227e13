// Finds the jobs that `run --missing` must run, from the names of files and arrays, never from elements.
#pragma once

#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

// Returns the jobs whose output does not exist, is empty or is not a regular file, linked to each other. Jobs
// whose results these use by "@id" are kept too, but do not write their existing outputs again. A job without
// an output is kept only for its "@id".
//
// Throws Error if the output of a job is read before the job overwrites it, by itself or by an earlier job:
// nothing shows which of the two the file contains.
[[nodiscard]] std::vector<Job> missing_jobs(const std::vector<Job>& jobs);

}  // namespace tensorop
