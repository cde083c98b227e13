// A batch of jobs on several ranks: which rank runs which, and that it all comes to what one process does.
#include "ranks/distribute.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "ranks/rank_executor.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/thread_ranks.hpp"

namespace tensorop::ranks_distribute_test {
namespace {

// Jobs that wait for the given earlier ones: "@" by id, "f" by file, "a" only after them.
struct Wait {
  char kind;
  std::size_t job;
};

std::vector<Job> jobs_of(const std::vector<std::vector<Wait>>& waits) {
  std::vector<Job> jobs(waits.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].line = static_cast<std::int64_t>(i) + 1;
    jobs[i].file = "jobs.jsonl";
    for (const auto& [kind, job] : waits[i]) {
      if (kind == 'a') {
        jobs[i].after.push_back(job);
        continue;
      }
      jobs[i].needs.push_back({job, kind == '@' ? "@" + std::to_string(job) : ""});
      jobs[job].uses += kind == '@' ? 1 : 0;
    }
  }
  return jobs;
}

using Numbers = std::vector<std::size_t>;

TEST_CASE("jobs that use results by id stay together, and wait for waves that write their files", "[ranks]") {
  struct Case {
    std::vector<std::vector<Wait>> waits;
    std::vector<std::vector<Numbers>> waves;
  };
  for (const auto& [waits, waves] : std::vector<Case>{
           {{}, {}},
           {{{}, {}, {}}, {{{0}, {1}, {2}}}},
           {{{}, {{'@', 0}}, {}, {{'@', 1}, {'@', 2}}}, {{{0, 1, 2, 3}}}},
           {{{}, {{'f', 0}}, {{'f', 0}}, {{'a', 2}}}, {{{0}}, {{1}, {2}}, {{3}}}},
           {{{}, {{'@', 0}}, {{'f', 1}}, {}}, {{{0, 1}, {3}}, {{2}}}},
           // Units that wait for each other become one.
           {{{}, {{'f', 0}}, {{'@', 0}, {'f', 1}}, {}}, {{{3}}, {}}},
       }) {
    const std::vector<Wave> got = waves_of(jobs_of(waits));
    if (waves.size() == 2 && waves[1].empty()) {
      REQUIRE(got.size() == 1);
      CHECK(got[0].units == std::vector<Numbers>{{0, 1, 2}, {3}});
      continue;
    }
    REQUIRE(got.size() == waves.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i].units == waves[i]);
  }
}

TEST_CASE("units are dealt to the rank that has fewest jobs, large ones first", "[ranks]") {
  const Wave wave = {{{0}, {1, 2, 3}, {4}, {5, 6}}};
  CHECK(deal(wave, 2) == std::vector<Numbers>{{1, 2, 3, 4}, {0, 5, 6}});
  CHECK(deal(wave, 1) == std::vector<Numbers>{{0, 1, 2, 3, 4, 5, 6}});
  CHECK(deal(wave, 5) == std::vector<Numbers>{{1, 2, 3}, {5, 6}, {0}, {4}, {}});
}

// What came of a batch: a line for each report.
struct Outcome {
  std::vector<std::string> reports;
  std::multiset<std::size_t> ran;
};

std::string line_of(std::size_t i, const JobOutcome& outcome) {
  std::string line = std::to_string(i) + " " + std::to_string(static_cast<int>(outcome.status));
  if (outcome.error) line += std::string(" ") + outcome.error->what() + " | " + outcome.error->hint();
  for (const std::string& warning : outcome.warnings) line += " warning " + warning;
  return line;
}

TEST_CASE("a batch on ranks comes to what it comes to in one process", "[ranks][random][threads]") {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t number = 0; number < 300; ++number) {
    Random random(seed, number);
    INFO("TENSOROP_SEED=" << seed << " number " << number);
    const auto count = static_cast<std::size_t>(random.between(0, 40));
    std::vector<std::vector<Wait>> waits(count);
    std::vector<bool> fails(count);
    for (std::size_t i = 0; i < count; ++i) {
      fails[i] = random.chance(10);
      for (std::int64_t n = i == 0 ? 0 : random.between(0, 2); n > 0; --n) {
        const auto job = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1));
        waits[i].push_back({random.pick(std::vector<char>{'@', 'f', 'f', 'a'}), job});
      }
    }
    const std::vector<Job> jobs = jobs_of(waits);
    BatchSettings settings;
    settings.fail_fast = random.chance(30);
    settings.concurrent_jobs = static_cast<int>(random.between(1, 3));
    settings.threads = Threads(settings.concurrent_jobs);
    const auto run = [&](Outcome& out, std::mutex& mutex) {
      return [&](std::size_t i, const Settings& own) -> std::optional<Tensor> {
        const std::lock_guard lock(mutex);
        // Files that a job needs are there when it runs, and results by id are in this process.
        for (const Need& need : jobs[i].needs) {
          if (!need.operand.empty() && !own.lookup(need.operand)) throw Error("a result is missing");
          if (!out.ran.contains(need.job)) throw Error("a job has not run yet");
        }
        out.ran.insert(i);
        own.warn("of job " + std::to_string(i));
        if (fails[i]) throw Error("it fails", "X-1", "because");
        return Tensor(DType::uint8, {static_cast<std::int64_t>(i)});
      };
    };
    Outcome alone;
    std::mutex alone_mutex;
    run_batch(jobs, settings, run(alone, alone_mutex), [&](std::size_t i, const JobOutcome& outcome) {
      alone.reports.push_back(line_of(i, outcome));
    });
    const int size = random.pick(std::vector<int>{1, 2, 3, 7});
    Outcome together;
    std::mutex mutex;
    run_on_threads(size, 1, [&](const Ranks& ranks) {
      std::vector<std::string> reports;
      distribute_batch(
          ranks, jobs, settings, run(together, mutex),
          [&](std::size_t i, const JobOutcome& outcome) { reports.push_back(line_of(i, outcome)); });
      const std::lock_guard lock(mutex);
      if (ranks.is_first()) together.reports = reports;
      if (reports.size() != jobs.size() && !settings.fail_fast) together.reports.emplace_back("not all");
    });
    CHECK(together.reports == alone.reports);
    if (!settings.fail_fast) CHECK(together.ran == alone.ran);
  }
}

TEST_CASE("ranks see every bit in which their values differ", "[ranks][threads]") {
  for (int bit = -1; bit < 64; ++bit) {
    CAPTURE(bit);
    std::atomic<int> refused = 0;
    run_on_threads(3, 1, [&](const Ranks& ranks) {
      const std::uint64_t other = bit < 0 || ranks.rank() != 1 ? 0 : std::uint64_t{1} << bit;
      try {
        RankExecutor(ranks).require_same(0xaaaaaaaaaaaaaaaa ^ other, "jobs");
      } catch (const Failure& error) {
        refused += std::string_view(error.what()) == "the ranks do not see the same jobs" ? 1 : 0;
      }
    });
    CHECK(refused == (bit < 0 ? 0 : 3));
  }
}

}  // namespace
}  // namespace tensorop::ranks_distribute_test
