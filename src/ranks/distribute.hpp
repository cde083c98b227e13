// A batch of jobs, shared out among ranks: each job is run by one of them, alone.
#pragma once

#include <cstddef>
#include <vector>

#include "jobs/batch.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// Jobs in the order in which ranks may run them. Jobs that use each other's results by id are a unit, which
// one rank runs: results stay in its memory. Units of a wave need files of earlier waves only.
struct Wave {
  std::vector<std::vector<std::size_t>> units;  // of jobs, each ascending; the units by their first job
};
[[nodiscard]] std::vector<Wave> waves_of(const std::vector<Job>& jobs);

// The jobs of a wave that each rank runs, ascending: the largest units first, each to the rank that has
// fewest jobs so far.
[[nodiscard]] std::vector<std::vector<std::size_t>> deal(const Wave& wave, int ranks);

// As run_batch(), together: every rank calls `work` for its jobs, and `report` for all of them. The outcomes
// are reported after each step of some hundred jobs for each rank.
void distribute_batch(const Ranks& ranks, const std::vector<Job>& jobs, const BatchSettings& settings,
                      const JobWork& work, const JobReport& report);

}  // namespace tensorop
