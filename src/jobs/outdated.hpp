// Which jobs of `run` have something to do: `--missing` and `--stale`. Only names and times of files are
// looked at, never elements.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

enum class Rerun : std::uint8_t {
  missing,  // jobs whose output does not exist
  stale,    // those too whose output is older than an operand or the job file, and what depends on them
};

// The jobs that have to run, linked among themselves. Such is a job whose output is missing or is not a
// regular file. With `stale` it is one too
// - whose output is older than a file that it reads, or that a job reads whose "@id" it uses, than the output
//   of that job, or than the job file (equal times are up to date), or whose output is an array of an
//   archive, which has one time for all its arrays;
// - that needs a job that has to run.
// The jobs whose "@id" these use are kept too: without their outputs, where these are up to date. A job
// without an output is kept only for its "@id".
//
// Throws Error where the output of a job is read before that job overwrites it, by itself or by an earlier
// one: nothing shows which of the two the file holds.
[[nodiscard]] std::vector<Job> outdated_jobs(const std::vector<Job>& jobs, Rerun rerun);

}  // namespace tensorop
