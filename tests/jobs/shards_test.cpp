// Shards: which jobs are in which one.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "jobs/cases.hpp"
#include "jobs/shards.hpp"
#include "support/catch.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::jobs_shards_test {
namespace {

namespace fs = std::filesystem;

// A file of jobs. Some jobs use the result of an earlier one, or a file that another one writes.
std::string random_jobs(Random& random) {
  std::string out;
  const std::int64_t count = random.between(1, 12);
  for (std::int64_t i = 0; i < count; ++i) {
    std::string operand = "1";
    if (i > 0 && random.chance(40)) operand = cat("\"@j", random.between(0, i - 1), "\"");
    if (random.chance(20)) operand = cat("\"f", random.between(0, count - 1), ".npy\"");
    out +=
        cat("{\"op\":\"add\",\"a\":", operand, ",\"b\":2,\"id\":\"j", i, "\",\"output\":\"f", i, ".npy\"}\n");
  }
  return out;
}

std::vector<std::string> files_of_job(const Job& job) {
  std::vector<std::string> out;
  for_each_reference(job.request,
                     [&](const std::string& /*key*/, const Operand& given) { out.push_back(given.text); });
  return out;
}

// The place of a job and what it needs: "x.jsonl:3: @j1 needs x.jsonl:1 waits for used 2".
std::string described(const Job& job, const std::vector<Job>& jobs) {
  std::string line = cat(job.location(), ": ", join(files_of_job(job), " "), " needs");
  for (const Need& need : job.needs) line += cat(" ", jobs.at(need.job).location());
  line += " waits for";
  for (const std::size_t earlier : job.after) line += cat(" ", jobs.at(earlier).location());
  return line + cat(" used ", job.uses);
}

std::set<std::string> described(const std::vector<Job>& jobs) {
  std::set<std::string> out;
  for (const Job& job : jobs) CHECK(out.insert(described(job, jobs)).second);
  return out;
}

using Shards = std::vector<std::set<std::string>>;

Shards divided(const std::vector<Job>& jobs, std::int64_t count) {
  Shards out;
  for (std::int64_t i = 1; i <= count; ++i) out.push_back(described(select_shard(jobs, {i, count})));
  return out;
}

// Each job is in one of the shards, as it is among all jobs: nothing that it needs is missing.
void check_complete(const Shards& shards, const std::vector<Job>& jobs) {
  std::set<std::string> together;
  for (const auto& shard : shards) {
    for (const std::string& job : shard) CHECK(together.insert(job).second);
  }
  CHECK(together == described(jobs));
}

// How many jobs the largest group of jobs that depend on each other has.
std::int64_t largest_group(const std::vector<Job>& jobs) {
  std::vector<std::size_t> group(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) group[i] = i;
  const auto merge = [&](std::size_t a, std::size_t b) {
    std::ranges::replace(group, std::size_t{group[a]}, std::size_t{group[b]});
  };
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const Need& need : jobs[i].needs) merge(i, need.job);
    for (const std::size_t earlier : jobs[i].after) merge(i, earlier);
  }
  std::map<std::size_t, std::int64_t> sizes;
  std::int64_t most = 0;
  for (const std::size_t i : group) most = std::max(most, ++sizes[i]);
  return most;
}

// Files of jobs, each in a folder of its own.
std::vector<std::string> random_files(const TempDir& dir, Random& random,
                                      const std::function<std::string(Random&)>& text) {
  std::vector<std::string> files;
  const std::int64_t count = random.between(1, 5);
  for (std::int64_t i = 0; i < count; ++i) {
    fs::create_directory(dir.path() / cat(i));
    files.push_back(dir.file(cat(i, "/jobs.jsonl")));
    write_file(files.back(), text(random));
  }
  return files;
}

Job job_at(const std::string& file, std::int64_t line) {
  Job job;
  job.file = file;
  job.line = line;
  return job;
}

// "a:1 b:2", in the order of the jobs.
std::string locations(const std::vector<Job>& jobs) {
  std::vector<std::string> out;
  for (const Job& job : jobs) out.push_back(job.location());
  return join(out, " ");
}

}  // namespace

TEST_CASE("shards together have every job once, with all that it depends on", "[jobs][shards]") {
  for (std::uint64_t number = 0; number < 60; ++number) {
    Random random(16, number);
    const TempDir dir;
    std::vector<std::string> files = random_files(dir, random, random_jobs);
    const auto read = [&] {
      std::vector<Job> jobs;
      for (const std::string& file : files) read_jobs(file, JobPurpose::run, jobs);
      return jobs;
    };
    const std::vector<Job> all = read();
    const std::int64_t count = random.between(1, 8);
    CAPTURE(number, count);
    const Shards shards = divided(all, count);
    check_complete(shards, all);
    const auto [least, most] = std::ranges::minmax(shards, {}, &std::set<std::string>::size);
    CHECK(static_cast<std::int64_t>(most.size() - least.size()) <= largest_group(all));
    std::ranges::reverse(files);
    CHECK(divided(read(), count) == shards);
  }
}

TEST_CASE("golden files keep no cases together", "[jobs][shards]") {
  const TempDir dir;
  write_file(dir.file("cases.jsonl"), R"({"op":"add","a":1,"b":2,"expect":"golden.npy"}
{"op":"add","a":"golden.npy","b":2,"expect":"golden.npy"}
)");
  CHECK(select_shard(read_cases({dir.file("cases.jsonl")}), {1, 2}).size() == 1);
}

TEST_CASE("what run ignores keeps no jobs together", "[jobs][shards]") {
  const TempDir dir;
  write_file(dir.file("jobs.jsonl"), R"({"op":"add","a":1,"b":2,"output":"1.npy","expect":"golden.npy"}
{"op":"add","a":1,"b":2,"output":"2.npy","expect":"golden.npy"}
)");
  std::vector<Job> jobs;
  read_jobs(dir.file("jobs.jsonl"), JobPurpose::run, jobs);
  CHECK(select_shard(jobs, {1, 2}).size() == 1);
}

TEST_CASE("large groups of jobs are dealt out first, each to the shard with the fewest jobs",
          "[jobs][shards]") {
  std::vector<Job> jobs;
  for (const int size : {1, 2, 5, 1, 3, 3}) {
    const std::size_t first = jobs.size();
    for (int i = 0; i < size; ++i) {
      jobs.push_back(job_at("a", static_cast<std::int64_t>(jobs.size()) + 1));
      if (i != 0) jobs.back().needs.push_back({first, "@first"});
    }
  }
  CHECK(locations(select_shard(jobs, {1, 3})) == "a:4 a:5 a:6 a:7 a:8");
  CHECK(locations(select_shard(jobs, {2, 3})) == "a:2 a:3 a:10 a:11 a:12");
  CHECK(locations(select_shard(jobs, {3, 3})) == "a:1 a:9 a:13 a:14 a:15");
}

TEST_CASE("equally large groups are dealt out in the order of paths and lines, however these are written",
          "[jobs][shards]") {
  for (const bool is_reversed : {false, true}) {
    for (const char* a : {"a.json", "./a.json", ".//b/../a.json", "b/./.././a.json"}) {
      CAPTURE(is_reversed, a);
      std::vector<Job> jobs = {job_at(a, 2), job_at(a, 10), job_at("b.json", 1), job_at("b.json", 1),
                               job_at("../c.json", 1)};
      jobs[2].number = 2;
      jobs[3].number = 10;
      if (is_reversed) std::ranges::reverse(jobs);
      const auto in_shard = [&](std::int64_t number) {
        std::set<std::string> out;
        for (const Job& job : select_shard(jobs, {number, 5})) out.insert(job.location());
        return out;
      };
      CHECK(in_shard(1) == std::set<std::string>{"../c.json:1"});
      CHECK(in_shard(2) == std::set<std::string>{cat(a, ":2")});
      CHECK(in_shard(3) == std::set<std::string>{cat(a, ":10")});
      CHECK(in_shard(4) == std::set<std::string>{"b.json:1: job 2"});
      CHECK(in_shard(5) == std::set<std::string>{"b.json:1: job 10"});
    }
  }
}

TEST_CASE("two paths of one file, and one path twice, are different files", "[jobs][shards]") {
  const std::vector<Job> jobs = {job_at("./a", 1), job_at("a", 1), job_at("a", 1)};
  const std::vector<Job> reversed = {job_at("a", 1), job_at("a", 1), job_at("./a", 1)};
  for (const auto& list : {jobs, reversed}) {
    CHECK(locations(select_shard(list, {1, 3})) == "./a:1");
    CHECK(locations(select_shard(list, {2, 3})) == "a:1");
    CHECK(locations(select_shard(list, {3, 3})) == "a:1");
  }
}

TEST_CASE("jobs that are skipped do not count", "[jobs][shards]") {
  std::vector<Job> jobs;
  for (std::int64_t i = 1; i <= 8; ++i) {
    jobs.push_back(job_at("a", i));
    if (i % 2 == 0) jobs.back().skipped = Skipped{"Cast", "Cast is not offered"};
  }
  for (std::int64_t i = 1; i <= 2; ++i) {
    const std::vector<Job> shard = select_shard(jobs, {i, 2});
    CHECK(std::ranges::count_if(shard, [](const Job& job) { return !job.skipped; }) == 2);
  }
}

TEST_CASE("more shards than jobs are empty", "[jobs][shards]") {
  const std::vector<Job> jobs = {job_at("a", 1)};
  CHECK(select_shard(jobs, {1, 3}).size() == 1);
  CHECK(select_shard(jobs, {2, 3}).empty());
  CHECK(select_shard(jobs, {std::int64_t{1} << 62, std::int64_t{1} << 62}).empty());
  CHECK(select_shard({}, {1, 2}).empty());
}

}  // namespace tensorop::jobs_shards_test
