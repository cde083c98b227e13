// Distributes a batch of jobs over ranks: one rank runs each job.
#pragma once

#include <cstddef>
#include <vector>

#include "jobs/batch.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// Jobs that ranks may run concurrently. Jobs that use each other's results by id form a unit, which one rank
// runs, because results stay in its memory. Units of a wave only need files of earlier waves.
struct Wave {
  std::vector<std::vector<std::size_t>> units;  // jobs of each unit, ascending; units by their first job
};
[[nodiscard]] std::vector<Wave> waves_of(const std::vector<Job>& jobs);

// The jobs of a wave for each rank, ascending: the largest units first, each to the rank with the fewest jobs
// so far.
[[nodiscard]] std::vector<std::vector<std::size_t>> deal(const Wave& wave, int ranks);

// run_batch() on all ranks together: every rank calls `work` for its own jobs, and `report` for all jobs.
// Outcomes are reported after each step of some hundred jobs for each rank.
void distribute_batch(const Ranks& ranks, const std::vector<Job>& jobs, const BatchSettings& settings,
                      const JobWork& work, const JobReport& report);

}  // namespace tensorop
