// `run`: many operations in one process.
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/batch.hpp"
#include "progress.hpp"

namespace tensorop {
namespace {

std::vector<Option> run_options() {
  std::vector<Option> options = batch_options();
  options.push_back({"--fail-fast", OptionKind::flag, "", "after a job has failed begin none behind it"});
  for (Option& option : global_options()) options.push_back(std::move(option));
  return options;
}

// What is said of one job: its warnings, then its error.
std::string outcome_lines(const Job& job, const JobOutcome& outcome, bool quiet) {
  std::string out;
  if (!quiet) {
    for (const std::string& line : outcome.warnings)
      out += cat("tensorop: warning: ", job.place(), ": ", line, "\n");
  }
  if (!outcome.error) return out;
  out += cat("tensorop: run: ", job.place(), ": ", std::string_view(outcome.error->what()), "\n");
  if (!outcome.error->hint().empty()) out += cat("hint: ", outcome.error->hint(), "\n");
  return out;
}

struct Counts {
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
};

std::string summary(const Counts& counts, std::size_t jobs) {
  std::vector<std::string> parts = {cat(counts.done, " done")};
  if (counts.failed != 0) parts.push_back(cat(counts.failed, " failed"));
  if (counts.skipped != 0) parts.push_back(cat(counts.skipped, " skipped"));
  return cat("tensorop: run: ", jobs, jobs == 1 ? " job: " : " jobs: ", join(parts), "\n");
}

}  // namespace

int run_run(const Words& args) {
  const std::vector<Option> options = run_options();
  const Arguments arguments = parse_arguments(args, options);
  if (arguments.has("--help")) {
    print_help(
        {"run JOBS [OPTION]...",
         "Runs many operations in one process, from a JSON list or JSON Lines (- is standard input)",
         {"tensorop run jobs.jsonl", "tensorop run jobs.json --fail-fast", "make-jobs | tensorop run -"}},
        options);
    return 0;
  }
  if (arguments.has("--version")) return print_version();
  if (arguments.operands.empty()) throw Error("no file of jobs given");
  if (arguments.operands.size() > 1) {
    throw Error(
        cat("unexpected operand ", printable(arguments.operands[1]), ": one file of jobs is run at a time"));
  }
  BatchSettings settings = read_batch_settings(arguments);
  settings.fail_fast = arguments.has("--fail-fast");
  const bool quiet = arguments.has("--quiet");

  std::vector<Job> jobs;
  read_jobs(arguments.operands[0], JobPurpose::run, jobs);
  Progress progress(read_progress(arguments));
  settings.progress = [&](std::int64_t done, std::int64_t total) { progress.set(done, total); };
  const auto say = [&](const std::string& lines) {
    if (!lines.empty()) progress.hide_while([&] { std::fputs(lines.c_str(), stderr); });
  };
  Counts counts;
  const Job* stopped_at = nullptr;
  const auto work = [&](std::size_t i, const Settings& own) { return run_job(jobs[i], own); };
  run_batch(jobs, settings, work, [&](std::size_t i, const JobOutcome& outcome) {
    say(outcome_lines(jobs[i], outcome, quiet));
    switch (outcome.status) {
      case JobStatus::done:
        ++counts.done;
        break;
      case JobStatus::failed:
        ++counts.failed;
        if (settings.fail_fast) stopped_at = &jobs[i];
        break;
      case JobStatus::skipped:
        ++counts.skipped;
        break;
    }
  });
  progress.end();
  if (!quiet) {
    say(stopped_at == nullptr
            ? summary(counts, jobs.size())
            : cat("tensorop: run: ", jobs.size(), " jobs: stopped at ", stopped_at->reference(), "\n"));
  }
  return counts.failed + counts.skipped == 0 ? 0 : 2;
}

}  // namespace tensorop
