// The processes that run the program together with this one, in tensorop-mpi. tensorop has no team.
#pragma once

#include <functional>
#include <vector>

#include "arguments.hpp"
#include "engine/executor.hpp"
#include "jobs/batch.hpp"

namespace tensorop {

// All processes have the same command line.
struct Team {
  const Executor& executor;
  bool is_first;            // only its output is printed
  int threads;              // of this process if --threads is not given
  int processes_a_machine;  // the largest number on a machine: they share its memory
  // Like run_batch(), but divides the jobs among the processes.
  std::function<void(const std::vector<Job>& jobs, const BatchSettings& settings, const JobWork& work,
                     const JobReport& report)>
      run_batch;
};

// Runs work that may fail in one process, and then fails in all. Without a team it only runs the work.
void together(const Arguments& arguments, const std::function<void()>& work);

// Runs work in one process: the first of a team.
void alone(const Arguments& arguments, const std::function<void()>& work);

// In a team, throws Error for a job file that only one process can read.
void require_readable_by_all(const Arguments& arguments);

// In a team, throws Error if jobs use files that differ between processes, such as /dev/stdout.
void require_shared_files(const Arguments& arguments, const std::vector<Job>& jobs);

// Throws Error unless all processes have read the same jobs.
void require_same_jobs(const Arguments& arguments, const std::vector<Job>& jobs);

}  // namespace tensorop
