// `run`: many operations in one process.
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "jobs/batch.hpp"
#include "jobs/case_folders.hpp"
#include "progress.hpp"
#include "shard_option.hpp"
#include "team.hpp"

namespace tensorop {
namespace {

std::vector<Option> run_options() {
  std::vector<Option> options = batch_options();
  options.push_back(shard_option());
  options.push_back({"--fail-fast", OptionKind::flag, "", "start no more jobs after a failure"});
  options.push_back(
      {std::string(kCase), OptionKind::value, "DIR",
       "also write each job as an ONNX case folder, to a folder in DIR that is called as the job; a "
       "job then needs neither output nor id"});
  options.push_back({"--fsync", OptionKind::flag, "", "write each result to the disk before its job ends"});
  return options;
}

// The messages of one job: its warnings, then its error.
std::string outcome_lines(const Job& job, const JobOutcome& outcome, bool quiet) {
  std::string out;
  if (!quiet) {
    for (const std::string& line : outcome.warnings)
      out += cat("tensorop: warning: ", job.location(), ": ", line, "\n");
  }
  if (!outcome.error) return out;
  out += cat("tensorop: run: ", job.location(), ": ", std::string_view(outcome.error->what()), "\n");
  if (!outcome.error->hint().empty()) out += cat("hint: ", outcome.error->hint(), "\n");
  return out;
}

// Counts of the jobs that have ended so far.
class Tally {
 public:
  void add(const Job& job, JobStatus status) {
    ++counts_[static_cast<std::size_t>(status)];
    if (status == JobStatus::failed) last_failed_ = &job;
  }
  [[nodiscard]] bool is_all_done() const { return failed() + skipped() == 0; }

  // One line about a run of `jobs` jobs, which are those of `shard`.
  [[nodiscard]] std::string summary(const std::string& shard, std::size_t jobs, bool fail_fast) const {
    const std::string head = cat("tensorop: run: ", shard, jobs, jobs == 1 ? " job: " : " jobs: ");
    if (fail_fast && last_failed_ != nullptr)
      return cat(head, "stopped at ", last_failed_->reference(), "\n");
    std::vector<std::string> parts = {cat(counts_[static_cast<std::size_t>(JobStatus::done)], " done")};
    if (failed() != 0) parts.push_back(cat(failed(), " failed"));
    if (skipped() != 0) parts.push_back(cat(skipped(), " skipped"));
    return cat(head, join(parts), "\n");
  }

 private:
  [[nodiscard]] std::int64_t failed() const { return counts_[static_cast<std::size_t>(JobStatus::failed)]; }
  [[nodiscard]] std::int64_t skipped() const { return counts_[static_cast<std::size_t>(JobStatus::skipped)]; }

  std::array<std::int64_t, 3> counts_{};
  const Job* last_failed_ = nullptr;
};

// Leaves out all other jobs, and their folders where they have any.
void keep_shard(const Shard& shard, std::vector<Job>& jobs, std::vector<std::string>& folders) {
  const std::vector<bool> is_in = jobs_of_shard(jobs, shard);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (is_in[i]) kept.push_back(std::move(folders[i]));
  }
  folders = std::move(kept);
  jobs = kept_jobs(jobs, is_in);
}

// A run as far as it is known before its first job.
struct ReadyRun {
  BatchSettings settings;
  std::optional<Shard> shard;
  std::vector<Job> jobs = {};             // those of the shard
  std::vector<std::string> folders = {};  // of their cases, where these are wanted
};

ReadyRun read_run(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no job file given");
  if (arguments.operands.size() > 1) {
    throw Error(cat("unexpected operand ", in_quotes(arguments.operands[1]), ": run takes one job file"));
  }
  ReadyRun out{.settings = read_batch_settings(arguments), .shard = read_shard(arguments)};
  out.settings.fail_fast = arguments.has("--fail-fast");
  const auto cases = arguments.value(kCase);
  if (cases && cases->empty()) throw Error("--case needs a folder name");
  require_readable_by_all(arguments);
  read_jobs(arguments.operands[0], cases ? JobPurpose::run_to_cases : JobPurpose::run, out.jobs);
  // Of all shards: they share the folder, and a job has the same name in it whatever the shard.
  if (cases) out.folders = make_case_folders(out.jobs, *cases, arguments.has("--fsync"));
  if (out.shard) keep_shard(*out.shard, out.jobs, out.folders);
  require_shared_files(arguments, out.jobs);
  for (Job& job : out.jobs) {
    if (job.output) job.output->durable = arguments.has("--fsync");
  }
  return out;
}

int run_jobs(const Arguments& arguments) {
  std::optional<ReadyRun> ready;
  together(arguments, [&] { ready.emplace(read_run(arguments)); });
  require_same_jobs(arguments, ready->jobs);
  BatchSettings& settings = ready->settings;
  const std::vector<Job>& jobs = ready->jobs;
  const bool quiet = arguments.has("--quiet");
  const bool to_cases = arguments.has(kCase);
  Progress progress(read_progress(arguments));
  settings.progress = [&](std::int64_t done, std::int64_t total) { progress.set(done, total); };
  const auto say = [&](const std::string& lines) {
    if (!lines.empty()) progress.hide_while([&] { std::fputs(lines.c_str(), stderr); });
  };
  if (arguments.has(kExplainPlan)) {
    settings.explain = [&](const Job& job, const AccessReport& report) {
      say(plan_lines(job.location(), report));
    };
  }
  Tally tally;
  const auto work = [&](std::size_t i, const Settings& own) {
    return to_cases ? run_job_as_case(jobs[i], {ready->folders[i], arguments.has("--fsync")}, own)
                    : run_job(jobs[i], own);
  };
  const auto report = [&](std::size_t i, const JobOutcome& outcome) {
    tally.add(jobs[i], outcome.status);
    say(outcome_lines(jobs[i], outcome, quiet));
  };
  arguments.team == nullptr ? run_batch(jobs, settings, work, report)
                            : arguments.team->run_batch(jobs, settings, work, report);
  progress.end();
  if (!quiet) say(tally.summary(shard_prefix(ready->shard), jobs.size(), settings.fail_fast));
  return tally.is_all_done() ? 0 : 2;
}

}  // namespace

Command run_command() {
  return {"run",
          {"run JOBS [OPTION]..."},
          "Runs many operations in one process, from a JSON list or JSON Lines (- is standard input)",
          {"tensorop run jobs.jsonl", "tensorop run jobs.json --fail-fast", "make-jobs | tensorop run -",
           "tensorop run jobs.jsonl --case cases", "tensorop run jobs.jsonl --shard 3/20"},
          run_options(),
          run_jobs};
}

}  // namespace tensorop
