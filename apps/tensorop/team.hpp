// The processes that run the program together with this one, as tensorop-mpi has them. tensorop is alone.
#pragma once

#include <functional>
#include <vector>

#include "arguments.hpp"
#include "engine/executor.hpp"
#include "jobs/batch.hpp"

namespace tensorop {

// All of them have the same command line.
struct Team {
  const Executor& executor;
  bool is_first;            // it alone is heard: the output of the others goes nowhere
  int threads;              // of this process, where --threads does not say
  int processes_a_machine;  // at most: they share its memory
  // As run_batch(), with the jobs shared out.
  std::function<void(const std::vector<Job>& jobs, const BatchSettings& settings, const JobWork& work,
                     const JobReport& report)>
      run_batch;
};

// Runs work that may fail in one process: then it fails in all. Without a team it is only run.
void together(const Arguments& arguments, const std::function<void()>& work);

// Runs work of one process: the first one of a team.
void alone(const Arguments& arguments, const std::function<void()>& work);

// Throws Error in a team for a job file that only one process can read.
void require_readable_by_all(const Arguments& arguments);

// Throws Error in a team where jobs read or write what is another file for each process: /dev/stdout.
void require_shared_files(const Arguments& arguments, const std::vector<Job>& jobs);

// Throws Error unless all processes have read the same jobs.
void require_same_jobs(const Arguments& arguments, const std::vector<Job>& jobs);

}  // namespace tensorop
