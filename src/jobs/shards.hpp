// Dividing the jobs of `run` and `check` among processes that know nothing of each other.
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

// The jobs of a shard, in their order. Each job is in exactly one shard, and with it all that it depends
// on, or that depends on it: by ids, and by files that one job writes and another one reads. Such groups are
// dealt out from the largest to the smallest, and equally large ones in the order of their files' paths and
// of the jobs in a file, each to the shard with the fewest jobs so far; jobs that are skipped do not count.
//
// The division does not depend on the order of the files in the list: processes that start later, or
// elsewhere, divide the jobs in the same way.
[[nodiscard]] std::vector<Job> select_shard(const std::vector<Job>& jobs, const Shard& shard);

}  // namespace tensorop
