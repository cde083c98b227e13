#include "jobs/batch.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <queue>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "engine/execute.hpp"

namespace tensorop {
namespace {

class Batch {
 public:
  Batch(const std::vector<Job>& jobs, const BatchSettings& settings, const JobWork& work,
        const JobReport& report)
      : jobs_(jobs), settings_(settings), work_(work), report_(report), states_(jobs.size()) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      states_[i].uses = jobs[i].uses;
      for (const Need& need : jobs[i].needs) wait_for(i, need.job);
      for (const std::size_t earlier : jobs[i].after) wait_for(i, earlier);
      if (states_[i].waits == 0) ready_.push(i);
    }
  }

  // Takes part until all jobs are over; any number of threads at once.
  void take_part() {
    std::unique_lock lock(mutex_);
    while (over_ < jobs_.size() && !broken_) {
      if (ready_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const std::size_t job = ready_.top();
      ready_.pop();
      try {
        if (job <= last_wanted_) run(job, lock);
        finish(job);
      } catch (...) {
        broken_ = true;
        changed_.notify_all();
        throw;
      }
      changed_.notify_all();
    }
  }

 private:
  struct State {
    std::vector<std::size_t> followers;  // jobs that wait for this one
    std::size_t waits = 0;               // jobs that this one still waits for
    int uses = 0;                        // jobs that will still ask for the result
    bool is_over = false;
    bool has_result = false;
    Tensor result;
    JobOutcome outcome;
  };

  void wait_for(std::size_t job, std::size_t earlier) {
    states_[earlier].followers.push_back(job);
    ++states_[job].waits;
  }

  void run(std::size_t job, std::unique_lock<std::mutex>& lock) {
    State& state = states_[job];
    for (const Need& need : jobs_[job].needs) {
      if (states_[need.job].has_result) continue;
      state.outcome.status = JobStatus::skipped;
      state.outcome.error = std::make_shared<Error>(cat("skipped: it needs ", jobs_[need.job].reference()));
      return;
    }
    ++running_;
    const Settings own = settings_of(job);
    lock.unlock();
    std::optional<Tensor> result = attempt(job, own, state.outcome);
    lock.lock();
    --running_;
    state.has_result = result.has_value();
    if (result && state.uses != 0) state.result = *std::move(result);
    if (settings_.fail_fast && state.outcome.status == JobStatus::failed)
      last_wanted_ = std::min(last_wanted_, job);
  }

  // A job that runs alone has all threads.
  Settings settings_of(std::size_t job) {
    Settings own;
    const auto sharing = std::min<std::size_t>(running_ + ready_.size(), to_size(settings_.side_by_side));
    own.threads = Threads(std::max(1, settings_.threads.count() / static_cast<int>(sharing)));
    own.warn = [&warnings = states_[job].outcome.warnings](const std::string& line) {
      warnings.push_back(line);
    };
    if (jobs_[job].needs.empty()) return own;
    // Results that are needed stay as they are until this job is over.
    own.lookup = [this, &needs = jobs_[job].needs](const std::string& text) -> std::optional<Tensor> {
      const auto need = std::ranges::find(needs, text, &Need::operand);
      return need == needs.end() ? std::nullopt : std::optional(states_[need->job].result);
    };
    return own;
  }

  std::optional<Tensor> attempt(std::size_t job, const Settings& own, JobOutcome& outcome) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<Tensor> result;
    try {
      result = work_(job, own);
    } catch (const Error& error) {
      outcome.error = std::make_shared<Error>(error);
    } catch (const std::bad_alloc&) {
      outcome.error = std::make_shared<Error>("out of memory");
    } catch (const std::exception& error) {
      outcome.error = std::make_shared<Error>(cat("internal error: ", std::string_view(error.what())));
    }
    if (outcome.error) outcome.status = JobStatus::failed;
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

  void finish(std::size_t job) {
    for (const Need& need : jobs_[job].needs) {
      State& needed = states_[need.job];
      if (!need.operand.empty() && --needed.uses == 0) needed.result = Tensor();
    }
    states_[job].is_over = true;
    ++over_;
    for (const std::size_t follower : states_[job].followers) {
      if (--states_[follower].waits == 0) ready_.push(follower);
    }
    for (; reported_ < jobs_.size() && states_[reported_].is_over; ++reported_) {
      if (reported_ <= last_wanted_) report_(reported_, states_[reported_].outcome);
      states_[reported_].outcome = JobOutcome();
    }
    if (settings_.progress) settings_.progress(to_int64(over_), to_int64(jobs_.size()));
  }

  const std::vector<Job>& jobs_;
  const BatchSettings& settings_;
  const JobWork& work_;
  const JobReport& report_;

  std::mutex mutex_;  // over all that follows
  std::condition_variable changed_;
  std::vector<State> states_;
  // The lowest comes first, so that what is held and what is done follow the file.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready_;
  std::size_t running_ = 0;
  std::size_t over_ = 0;
  std::size_t reported_ = 0;
  std::size_t last_wanted_ = std::numeric_limits<std::size_t>::max();
  bool broken_ = false;  // a report has thrown
};

}  // namespace

void run_batch(const std::vector<Job>& jobs, const BatchSettings& settings, const JobWork& work,
               const JobReport& report) {
  Batch batch(jobs, settings, work, report);
  const auto workers = std::min(to_int64(jobs.size()), std::int64_t{settings.side_by_side});
  Threads(static_cast<int>(std::max<std::int64_t>(workers, 1))).for_each(workers, [&](std::int64_t, int) {
    batch.take_part();
  });
}

std::optional<Tensor> run_job(const Job& job, const Settings& settings) {
  if (job.output && job.uses == 0) {
    run_request(job.request, *job.output, settings);
    return Tensor();
  }
  Tensor result = evaluate(job.request, settings);
  if (job.output) write_tensor(result, *job.output, settings.threads);
  return result;
}

}  // namespace tensorop
