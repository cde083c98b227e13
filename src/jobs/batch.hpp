// Runs many jobs in one process: concurrently, each after the jobs that it depends on, and reports them in
// order. The caller decides what is done with a result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/interruption.hpp"
#include "base/text/error.hpp"
#include "engine/engine.hpp"
#include "jobs/jobs.hpp"
#include "jobs/outcome.hpp"

namespace tensorop {

struct BatchSettings {
  Threads threads{1};       // divided among the jobs that run concurrently
  int concurrent_jobs = 1;  // at most
  // As in Settings; divided among the jobs that may run concurrently.
  std::int64_t memory = 0;
  // Called by the thread that runs a job, with the report of the job's Settings::explain; may be empty.
  std::function<void(const Job& job, const AccessReport& report)> explain = nullptr;
  bool fail_fast = false;  // start no more jobs after a failure
  // Whether fail_fast stops at a done job; null: never. Called by the thread that ran the job.
  std::function<bool(std::size_t i)> is_failure = nullptr;
  // Called with the number of jobs that have ended and the number of all jobs; one call at a time, ascending.
  // It must not block, because no job starts or ends during a call.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  // If not null: when it is stopped, the stopping thread reports the jobs that have ended, and running jobs
  // as interrupted; no more jobs start.
  Interruption* interruption = nullptr;
};

struct JobOutcome {
  Outcome status = Outcome::done;        // or error, skipped, interrupted
  std::shared_ptr<const Failure> error;  // for error and skipped, without the job's location
  std::vector<std::string> warnings;     // the lines of Settings::warn
  double seconds = 0;
};

// Runs job `i`. Its settings find the results of earlier jobs. Returns the job's result, or any tensor if
// job.uses is 0; nothing if it has no result. Called by several threads at once. Throws Error.
using JobWork = std::function<std::optional<Tensor>(std::size_t i, const Settings& settings)>;
// Takes the outcomes in the order of the jobs, one call at a time. Other jobs start and end during a call.
// An exception from it ends the batch.
using JobReport = std::function<void(std::size_t i, const JobOutcome& outcome)>;

// Does the work. Returns why it failed, also if memory ran out; null: it did not fail.
[[nodiscard]] std::shared_ptr<const Failure> failure_in(const std::function<void()>& work);

// Runs all jobs. With fail_fast the first failed job is the last one reported. A result is held until the
// last job that uses it has ended.
void run_batch(const std::vector<Job>& jobs, const BatchSettings& settings, const JobWork& work,
               const JobReport& report);

// Runs a job of `run`: its result is written to its output, or passed to the jobs that use it.
[[nodiscard]] std::optional<Tensor> run_job(const Job& job, const Settings& settings);

}  // namespace tensorop
