// Divides the jobs of `run` and `check` among processes that do not communicate.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

// One of `count` parts of a list of jobs, numbered from 1.
struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;
};

// Returns the jobs of a shard, in order. Each job is in exactly one shard, together with all jobs that it
// depends on or that depend on it, by ids or by files that one job writes and another reads. Such groups are
// distributed from the largest to the smallest, and groups of equal size by the paths of their files and
// their place in a file; each goes to the shard with the fewest jobs so far. Skipped jobs do not count.
//
// The division does not depend on the order of the files in the list: processes that start later or elsewhere
// divide the jobs in the same way.
[[nodiscard]] std::vector<Job> select_shard(const std::vector<Job>& jobs, const Shard& shard);

}  // namespace tensorop
