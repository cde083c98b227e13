// A file of jobs, for `run` and for `check`. What is read holds together: jobs need earlier ones only, also
// where jobs that are up to date are left out. Jobs whose result is small are run, and each is reported
// once, in order.
#include <vector>

#include "fuzz/fuzz.hpp"
#include "fuzz/memory_system.hpp"
#include "jobs/batch.hpp"
#include "jobs/jobs.hpp"
#include "jobs/missing.hpp"

namespace tensorop::fuzz {
namespace {

constexpr const char* kFile = "jobs.jsonl";

void check_links(const std::vector<Job>& jobs) {
  std::vector<int> uses(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const Need& need : jobs[i].needs) {
      require(need.job < i, "a job needs one that is not earlier");
      if (!need.operand.empty()) ++uses[need.job];
    }
    for (const std::size_t earlier : jobs[i].after) require(earlier < i, "a job waits for one not earlier");
    require(!jobs[i].name.empty() && jobs[i].line > 0, "a job without a name or a line");
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) require(uses[i] == jobs[i].uses, "uses are miscounted");
}

std::optional<Tensor> run_small(const Job& job, const Settings& settings) {
  constexpr std::int64_t kMostBytes = 4096;
  const OutputInfo output = infer_request(job.request, settings);
  if (job.request.dry_run || count(output.shape) * element_size(output.dtype) > kMostBytes)
    return std::nullopt;
  Tensor result = evaluate(job.request, settings);
  require(result.dtype() == output.dtype && result.shape() == output.shape,
          "the result is not what was inferred");
  return result;
}

void run(const std::vector<Job>& jobs) {
  std::size_t next = 0;
  run_batch(
      jobs, {}, [&](std::size_t i, const Settings& settings) { return run_small(jobs[i], settings); },
      [&](std::size_t i, const JobOutcome& /*outcome*/) {
        require(i == next++, "jobs are reported out of order");
      });
  require(next == jobs.size(), "not all jobs are reported");
}

std::optional<std::vector<Job>> read(JobPurpose purpose) {
  return attempt([&] {
    std::vector<Job> jobs;
    read_jobs(kFile, purpose, jobs);
    return jobs;
  });
}

}  // namespace

static int run_jobs(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  MemorySystem memory;
  memory.put(kFile, std::string(text_of(data, size)));
  const ScopedSystem scope(memory);
  for (const JobPurpose purpose : {JobPurpose::check, JobPurpose::run}) {
    const auto jobs = read(purpose);
    if (!jobs) continue;
    check_links(*jobs);
    if (purpose != JobPurpose::run) continue;
    if (const auto kept = attempt([&] { return missing_jobs(*jobs); })) check_links(*kept);
    run(*jobs);
  }
  return 0;
}

const NamedTarget kJobsTarget("jobs", run_jobs);

}  // namespace tensorop::fuzz
