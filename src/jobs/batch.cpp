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
#include "base/text/text.hpp"
#include "engine/execute.hpp"
#include "io/opened_file.hpp"

namespace tensorop {
namespace {

// Returns the number of jobs that may run concurrently.
int workers_of(const std::vector<Job>& jobs, const BatchSettings& settings) {
  const auto most = std::min(to_int64(jobs.size()), std::int64_t{settings.concurrent_jobs});
  return static_cast<int>(std::max<std::int64_t>(most, 1));
}

// The share of `--memory` for archives that are kept open.
constexpr std::int64_t kArchiveShare = 8;

class Batch {
 public:
  Batch(const std::vector<Job>& jobs, const BatchSettings& settings, const JobWork& work,
        const JobReport& report)
      : jobs_(jobs),
        settings_(settings),
        work_(work),
        report_(report),
        states_(jobs.size()),
        archives_(settings.memory == 0 ? ArchiveCache::kUsualMemory : settings.memory / kArchiveShare) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      states_[i].uses = jobs[i].uses;
      for (const Need& need : jobs[i].needs) wait_for(i, need.job);
      for (const std::size_t earlier : jobs[i].after) wait_for(i, earlier);
      if (states_[i].waits == 0) ready_.push(i);
    }
  }

  // Reports the jobs that have ended or are running, in order. Nothing happens after it, because it keeps the
  // lock.
  void stop() {
    constexpr std::chrono::seconds kMostWait(2);
    std::unique_lock lock(mutex_);
    is_stopped_ = true;
    // A report whose reader takes longer than this is not waited for.
    const bool is_free = changed_.wait_for(lock, kMostWait, [this] { return !is_reporting_; });
    for (std::size_t i = reported_; is_free && i < jobs_.size() && i <= last_wanted_; ++i) {
      State& state = states_[i];
      if (state.is_running) {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - state.start;
        report_(i, {.status = Outcome::interrupted, .error = {}, .warnings = {}, .seconds = time.count()});
      } else if (state.has_ended) {
        report_(i, state.outcome);
      }
    }
    lock.release();
  }

  // The work of one thread until all jobs have ended. Several threads call it at once.
  void take_part() {
    std::unique_lock lock(mutex_);
    try {
      while (ended_ < jobs_.size() && !broken_) {
        if (ready_.empty()) {
          changed_.wait(lock);
          continue;
        }
        const std::size_t job = ready_.top();
        ready_.pop();
        if (job <= last_wanted_) run(job, lock);
        finish(job);
        changed_.notify_all();
        report_ended(lock);
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      broken_ = true;
      changed_.notify_all();
      throw;
    }
  }

 private:
  struct State {
    std::vector<std::size_t> followers;  // jobs that wait for this one
    std::size_t waits = 0;               // jobs that this one still waits for
    int uses = 0;                        // jobs that use the result and have not ended
    bool has_ended = false;
    bool has_result = false;
    bool is_running = false;
    std::chrono::steady_clock::time_point start = {};
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
      state.outcome.status = Outcome::skipped;
      state.outcome.error = std::make_shared<Failure>(cat("it needs ", jobs_[need.job].reference()));
      return;
    }
    ++running_;
    state.is_running = true;
    state.start = std::chrono::steady_clock::now();
    const Settings own = settings_of(job);
    lock.unlock();
    std::optional<Tensor> result = attempt(job, own, state.outcome);
    const bool failed =
        state.outcome.status == Outcome::error || (settings_.is_failure && settings_.is_failure(job));
    lock.lock();
    --running_;
    state.is_running = false;
    state.has_result = result.has_value();
    if (result && state.uses != 0) state.result = *std::move(result);
    if (settings_.fail_fast && failed) last_wanted_ = std::min(last_wanted_, job);
  }

  // A job that runs alone gets all threads.
  Settings settings_of(std::size_t job) {
    Settings own;
    const auto sharing =
        std::min<std::size_t>(running_ + ready_.size(), to_size(workers_of(jobs_, settings_)));
    own.threads = Threads(std::max(1, settings_.threads.count() / static_cast<int>(sharing)));
    own.memory = settings_.memory;
    own.memory_sharers = workers_of(jobs_, settings_);
    own.archives = &archives_;
    if (settings_.explain) {
      own.explain = [this, job](const AccessReport& report) { settings_.explain(jobs_[job], report); };
    }
    own.warn = [&warnings = states_[job].outcome.warnings](const std::string& line) {
      warnings.push_back(line);
    };
    if (jobs_[job].needs.empty()) return own;
    // The results of `needs` do not change until this job has ended.
    own.lookup = [this, &needs = jobs_[job].needs](const std::string& text) -> std::optional<Tensor> {
      const auto need = std::ranges::find(needs, text, &Need::operand);
      return need == needs.end() ? std::nullopt : std::optional(states_[need->job].result);
    };
    return own;
  }

  std::optional<Tensor> attempt(std::size_t job, const Settings& own, JobOutcome& outcome) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<Tensor> result;
    outcome.error = failure_in([&] { result = work_(job, own); });
    if (outcome.error) outcome.status = Outcome::error;
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

  void finish(std::size_t job) {
    for (const Need& need : jobs_[job].needs) {
      State& needed = states_[need.job];
      if (!need.operand.empty() && --needed.uses == 0) needed.result = Tensor();
    }
    states_[job].has_ended = true;
    ++ended_;
    for (const std::size_t follower : states_[job].followers) {
      if (--states_[follower].waits == 0) ready_.push(follower);
    }
    if (settings_.progress) settings_.progress(to_int64(ended_), to_int64(jobs_.size()));
  }

  // Reports the next outcomes in order, without the lock, because a report may write files and wait for a
  // reader of standard output. One thread reports at a time, and also reports jobs that end meanwhile.
  void report_ended(std::unique_lock<std::mutex>& lock) {
    if (is_reporting_) return;
    is_reporting_ = true;
    while (!is_stopped_ && reported_ < jobs_.size() && states_[reported_].has_ended) {
      const std::size_t job = reported_++;
      const JobOutcome outcome = std::exchange(states_[job].outcome, {});
      if (job > last_wanted_) continue;
      lock.unlock();
      report_(job, outcome);
      lock.lock();
    }
    is_reporting_ = false;
    if (is_stopped_) changed_.notify_all();
  }

  const std::vector<Job>& jobs_;
  const BatchSettings& settings_;
  const JobWork& work_;
  const JobReport& report_;

  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::vector<State> states_;
  ArchiveCache archives_;
  // The lowest job comes first, so that jobs run and results are released in about the order of the file.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready_;
  std::size_t running_ = 0;
  std::size_t ended_ = 0;
  std::size_t reported_ = 0;
  bool is_reporting_ = false;
  std::size_t last_wanted_ = std::numeric_limits<std::size_t>::max();
  bool is_stopped_ = false;
  bool broken_ = false;  // a report has thrown: no more jobs start
};

}  // namespace

std::shared_ptr<const Failure> failure_in(const std::function<void()>& work) {
  try {
    work();
  } catch (const Failure& error) {
    return std::make_shared<Failure>(error);
  } catch (const std::bad_alloc&) {
    return std::make_shared<Failure>("out of memory");
  } catch (const std::exception& error) {
    return std::make_shared<Failure>(cat("internal error: ", std::string_view(error.what())));
  }
  return nullptr;
}

void run_batch(const std::vector<Job>& jobs, const BatchSettings& settings, const JobWork& work,
               const JobReport& report) {
  Batch batch(jobs, settings, work, report);
  const int workers = workers_of(jobs, settings);
  const Interruption::Scope scope(settings.interruption, [&batch] { batch.stop(); });
  Threads(workers).for_each(workers, [&](std::int64_t, int) { batch.take_part(); });
}

std::optional<Tensor> run_job(const Job& job, const Settings& settings) {
  if (job.output && job.uses == 0) {
    run_request(job.request, *job.output, settings);
    return Tensor();
  }
  Tensor result = evaluate(job.request, settings);
  if (job.output) {
    write_tensor(result, Inputs(), *job.output, settings);
    warn_of_unnamed(*job.output, result.dtype(), settings);
  }
  return result;
}

}  // namespace tensorop
