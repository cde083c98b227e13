#include "jobs/shards.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/checked.hpp"

namespace tensorop {
namespace {

// Returns the path without "." and "..", as text: links are not followed.
std::string plain_path(std::string_view path) {
  std::string out = std::filesystem::path(path).lexically_normal();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

// Groups of jobs that depend on each other. Each group is identified by one of its jobs, its root.
class JobGroups {
 public:
  explicit JobGroups(const std::vector<Job>& jobs) : next_(jobs.size()) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      for (const Need& need : jobs[i].needs) join(i, need.job);
      for (const std::size_t earlier : jobs[i].after) join(i, earlier);
    }
  }

  [[nodiscard]] std::size_t root_of(std::size_t job) {
    while (next_[job] != job) job = next_[job] = next_[next_[job]];
    return job;
  }

 private:
  void join(std::size_t a, std::size_t b) { next_[root_of(a)] = root_of(b); }

  std::vector<std::size_t> next_;  // for each job, another one of its group, towards the root
};

// The position of a job, whatever the order of the files: the rank of its file's path, its line and number.
using Place = std::tuple<std::size_t, std::int64_t, std::int64_t>;

std::vector<Place> places_of(const std::vector<Job>& jobs) {
  const auto path_of = [](const Job& job) -> std::string_view {
    return job.folder.empty() ? job.file : job.folder;
  };
  std::map<std::string_view, std::size_t> ranks;
  for (const Job& job : jobs) ranks.emplace(path_of(job), 0);
  // Different paths of the same file are ordered by their texts.
  std::vector<std::pair<std::string, std::string_view>> paths;
  paths.reserve(ranks.size());
  for (const auto& known : ranks) paths.emplace_back(plain_path(known.first), known.first);
  std::ranges::sort(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) ranks[paths[i].second] = i;
  std::vector<Place> out;
  out.reserve(jobs.size());
  for (const Job& job : jobs) out.emplace_back(ranks[path_of(job)], job.line, job.number);
  return out;
}

struct JobGroup {
  std::size_t known_by;
  std::int64_t jobs;  // jobs that are not skipped
  Place first;
};

// Returns the groups in the order in which they are distributed.
std::vector<JobGroup> in_order(const std::vector<Job>& jobs, JobGroups& groups) {
  const std::vector<Place> places = places_of(jobs);
  std::vector<JobGroup> all(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) all[i] = {i, 0, places[i]};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    JobGroup& group = all[groups.root_of(i)];
    group.jobs += jobs[i].skipped ? 0 : 1;
    group.first = std::min(group.first, places[i]);
  }
  std::erase_if(all, [&](const JobGroup& group) { return groups.root_of(group.known_by) != group.known_by; });
  // Jobs have equal places if a file is in the list twice.
  std::ranges::stable_sort(all, [](const JobGroup& a, const JobGroup& b) {
    return a.jobs != b.jobs ? a.jobs > b.jobs : a.first < b.first;
  });
  return all;
}

}  // namespace

std::vector<Job> select_shard(const std::vector<Job>& jobs, const Shard& shard) {
  JobGroups groups(jobs);
  // The next shard is the one with the fewest jobs so far, and of several the first.
  using Load = std::pair<std::int64_t, std::int64_t>;  // jobs, shard
  std::priority_queue<Load, std::vector<Load>, std::greater<>> shards;
  // Shards beyond the number of jobs are empty, so they need no entry.
  for (std::int64_t i = 0; i < std::min(shard.count, to_int64(jobs.size())); ++i) shards.emplace(0, i);
  std::vector<bool> is_in(jobs.size());
  for (const JobGroup& group : in_order(jobs, groups)) {
    const auto [load, number] = shards.top();
    shards.pop();
    shards.emplace(load + group.jobs, number);
    is_in[group.known_by] = number == shard.number - 1;
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) is_in[i] = is_in[groups.root_of(i)];
  return kept_jobs(jobs, is_in);
}

}  // namespace tensorop
