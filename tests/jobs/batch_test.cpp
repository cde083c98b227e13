// The order of jobs: what each waits for, what is reported, how long results are held.
#include "jobs/batch.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop::jobs_batch_test {
namespace {

// How long a test waits for what must happen; it fails after that.
constexpr std::chrono::seconds kLongest{30};

std::vector<Job> jobs_of(std::size_t count) {
  std::vector<Job> jobs(count);
  for (std::size_t i = 0; i < count; ++i) {
    jobs[i].file = "f";
    jobs[i].line = static_cast<std::int64_t>(i) + 1;
  }
  return jobs;
}

void let_use(std::vector<Job>& jobs, std::size_t job, std::size_t earlier) {
  jobs[job].needs.push_back({earlier, cat("@", earlier)});
  ++jobs[earlier].uses;
}

Tensor number(std::int64_t value) {
  auto storage = std::make_shared<Storage>(8);
  *reinterpret_cast<std::int64_t*>(storage->data()) = value;
  return {DType::int64, {}, storage};
}

BatchSettings settings_of(int workers) {
  BatchSettings settings;
  settings.threads = Threads(workers);
  settings.concurrent_jobs = workers;
  return settings;
}

// "1 done", "2 error: why", in the order of the reports.
std::vector<std::string> run_all(const std::vector<Job>& jobs, const BatchSettings& settings,
                                 const JobWork& work) {
  std::vector<std::string> out;
  run_batch(jobs, settings, work, [&](std::size_t i, const JobOutcome& outcome) {
    std::string line = cat(i, " ", name(outcome.status));
    if (outcome.error) line += cat(": ", std::string_view(outcome.error->what()));
    out.push_back(line);
  });
  return out;
}

}  // namespace

TEST_CASE("jobs run once each, after what they wait for, and are reported in order", "[jobs][batch]") {
  Random random(20240301);
  for (const int workers : {1, 2, 7}) {
    auto jobs = jobs_of(200);
    for (std::size_t i = 1; i < jobs.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto earlier = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1));
        if (random.between(0, 2) == 0) let_use(jobs, i, earlier);
        if (random.between(0, 3) == 0) jobs[i].after.push_back(earlier);
      }
    }
    std::vector<std::atomic<int>> runs(jobs.size());
    std::atomic<bool> in_order{true};
    const auto reports = run_all(jobs, settings_of(workers), [&](std::size_t i, const Settings& own) {
      std::int64_t sum = 1;
      for (const Need& need : jobs[i].needs) {
        if (runs[need.job] != 1) in_order = false;
        sum += *own.lookup(need.operand)->as<std::int64_t>();
      }
      for (const std::size_t earlier : jobs[i].after) {
        if (runs[earlier] != 1) in_order = false;
      }
      // Whoever does not wait for it overtakes it.
      if (i % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
      ++runs[i];
      return std::optional(number(sum));
    });
    CHECK(in_order);
    REQUIRE(reports.size() == jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      CHECK(runs[i] == 1);
      CHECK(reports[i] == cat(i, " done"));
    }
  }
}

TEST_CASE("a job that fails takes along the jobs that need it and no others", "[jobs][batch]") {
  auto jobs = jobs_of(6);
  let_use(jobs, 2, 1);
  jobs[3].needs.push_back({2, ""});
  jobs[4].after.push_back(1);
  for (const int workers : {1, 4}) {
    const auto work = [](std::size_t i, const Settings&) -> std::optional<Tensor> {
      if (i == 1) throw Error("why", "X-1");
      if (i == 5) throw std::bad_alloc();
      return number(0);
    };
    CHECK(run_all(jobs, settings_of(workers), work) ==
          std::vector<std::string>{"0 done", "1 error: why [X-1]", "2 skipped: it needs the job on line 2",
                                   "3 skipped: it needs the job on line 3", "4 done",
                                   "5 error: out of memory"});
    BatchSettings fail_fast = settings_of(workers);
    fail_fast.fail_fast = true;
    CHECK(run_all(jobs, fail_fast, work) == std::vector<std::string>{"0 done", "1 error: why [X-1]"});
  }
}

TEST_CASE("the lowest failed job ends a batch that fails fast, however the jobs run", "[jobs][batch]") {
  auto jobs = jobs_of(64);
  BatchSettings settings = settings_of(4);
  settings.fail_fast = true;
  for (int round = 0; round < 20; ++round) {
    const auto reports = run_all(jobs, settings, [](std::size_t i, const Settings&) -> std::optional<Tensor> {
      if (i == 7) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (i >= 7) throw Error("why");
      return Tensor();
    });
    CHECK(reports.size() == 8);
    CHECK(reports.back() == "7 error: why");
  }
}

TEST_CASE("a batch that fails fast begins no job after a failed one", "[jobs][batch]") {
  auto jobs = jobs_of(64);
  BatchSettings settings = settings_of(1);
  settings.fail_fast = true;
  std::size_t begun = 0;
  (void)run_all(jobs, settings, [&](std::size_t i, const Settings&) -> std::optional<Tensor> {
    ++begun;
    if (i == 7) throw Error("why");
    return Tensor();
  });
  CHECK(begun == 8);
}

TEST_CASE("a result is let go with the last job that uses it", "[jobs][batch]") {
  auto jobs = jobs_of(4);
  let_use(jobs, 1, 0);
  let_use(jobs, 2, 0);
  let_use(jobs, 2, 0);
  std::weak_ptr<Storage> held;
  std::vector<bool> alive;
  run_batch(
      jobs, settings_of(1),
      [&](std::size_t i, const Settings&) -> std::optional<Tensor> {
        if (i != 0) return Tensor();
        const auto storage = std::make_shared<Storage>(element_size(DType::int64));
        held = storage;
        return Tensor(DType::int64, {}, storage);
      },
      [&](std::size_t, const JobOutcome&) { alive.push_back(!held.expired()); });
  CHECK(alive == std::vector<bool>{true, true, false, false});
}

TEST_CASE("what a report throws ends the batch", "[jobs][batch]") {
  for (const int workers : {1, 4}) {
    CHECK_THROWS_AS(run_batch(
                        jobs_of(50), settings_of(workers),
                        [](std::size_t, const Settings&) { return std::optional(Tensor()); },
                        [](std::size_t i, const JobOutcome&) {
                          if (i == 3) throw Error("standard output is gone");
                        }),
                    Error);
  }
}

TEST_CASE("jobs start and end while an outcome is reported", "[jobs][batch]") {
  std::promise<void> last_has_started;
  std::future<void> started = last_has_started.get_future();
  std::vector<std::size_t> reported;
  bool waited_in_vain = false;
  run_batch(
      jobs_of(3), settings_of(2),
      [&](std::size_t i, const Settings&) {
        if (i == 2) last_has_started.set_value();
        return std::optional(Tensor());
      },
      [&](std::size_t i, const JobOutcome&) {
        reported.push_back(i);
        if (i == 0) waited_in_vain = started.wait_for(kLongest) != std::future_status::ready;
      });
  CHECK_FALSE(waited_in_vain);
  CHECK(reported == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("threads are shared out among the jobs that run", "[jobs][batch]") {
  auto jobs = jobs_of(9);
  for (std::size_t i = 1; i < 9; ++i) jobs[8].after.push_back(i - 1);
  std::vector<int> threads(jobs.size());
  (void)run_all(jobs, settings_of(8), [&](std::size_t i, const Settings& own) {
    threads[i] = own.threads.count();
    return std::optional(Tensor());
  });
  CHECK(threads[0] == 1);
  CHECK(threads[8] == 8);
}

TEST_CASE("memory is shared out among the jobs that may run concurrently", "[jobs][batch]") {
  struct Row {
    int workers;
    std::size_t jobs;
    std::int64_t part;
  };
  for (const Row& row : {Row{1, 3, 1000}, Row{4, 3, 333}, Row{2, 9, 500}, Row{7, 1, 1000}}) {
    auto settings = settings_of(row.workers);
    settings.memory = 1000;
    // Also for jobs that wait for each other: one of them may have much to do while others begin.
    auto jobs = jobs_of(row.jobs);
    for (std::size_t i = 1; i < jobs.size(); ++i) jobs[i].after.push_back(i - 1);
    std::mutex mutex;
    std::set<std::int64_t> parts;
    (void)run_all(jobs, settings, [&](std::size_t, const Settings& own) {
      const std::lock_guard lock(mutex);
      parts.insert(memory_of(own));
      return std::optional(number(0));
    });
    CHECK(parts == std::set<std::int64_t>{row.part});
  }
}

TEST_CASE("what a job explains comes with the job", "[jobs][batch]") {
  auto settings = settings_of(1);
  std::string explained;
  const auto work = [&](std::size_t i, const Settings& own) {
    AccessReport report;
    report.facts.rows = static_cast<std::int64_t>(i);
    if (own.explain) own.explain(report);
    return std::optional(number(0));
  };
  (void)run_all(jobs_of(2), settings, work);
  CHECK(explained.empty());
  settings.explain = [&](const Job& job, const AccessReport& report) {
    explained += cat(job.line, ": ", report.facts.rows, "\n");
  };
  (void)run_all(jobs_of(2), settings, work);
  CHECK(explained == "1: 0\n2: 1\n");
}

}  // namespace tensorop::jobs_batch_test
