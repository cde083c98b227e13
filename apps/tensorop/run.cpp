// `run`: many operations in one process.
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "golden/judge.hpp"
#include "jobs/batch.hpp"
#include "jobs/missing.hpp"
#include "jobs/onnx_case.hpp"
#include "progress.hpp"
#include "report_options.hpp"
#include "team.hpp"

namespace tensorop {
namespace {

std::vector<Option> run_options() {
  const std::vector<Option> own = {
      shard_option(),
      {"--missing", OptionKind::flag, "", "run only jobs whose output does not exist"},
      {std::string(kCase), OptionKind::value, "DIR",
       "also write each job as an ONNX case folder, to a folder in DIR that is called as the job; a job then "
       "needs neither output nor id"},
      {"--fsync", OptionKind::flag, "", "write each result to the disk before its job ends"},
  };
  return joined({report_options("jobs"), batch_options(), own});
}

// A run as far as it is known before its first job.
struct ReadyRun {
  BatchSettings settings = {};
  std::vector<Job> jobs = {};             // those of the shard
  std::vector<std::string> folders = {};  // of their cases, where these are wanted
};

// Leaves out all other jobs, and their folders where they have any.
void keep_jobs(const std::vector<bool>& is_in, ReadyRun& run) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < run.folders.size(); ++i) {
    if (is_in[i]) kept.push_back(std::move(run.folders[i]));
  }
  run.folders = std::move(kept);
  run.jobs = kept_jobs(run.jobs, is_in);
}

void read_run(const Arguments& arguments, Reporter& reporter, ReadyRun& out) {
  if (arguments.operands.empty()) throw Error("no job file given");
  arguments.refuse_operands_after(1, "run takes one job file");
  out.settings = read_batch_settings(arguments);
  const auto shard = read_shard(arguments);
  out.settings.fail_fast = arguments.has("--fail-fast");
  const bool only_missing = arguments.has("--missing");
  if (only_missing) {
    arguments.refuse_beside("--missing", {kCase});
    if (arguments.team != nullptr)
      throw Error("--missing is for one process", "", "tensorop runs it, alone or in shards");
  }
  const auto cases = arguments.value(kCase);
  if (cases && cases->empty()) throw Error("--onnx-case needs a folder name");
  require_readable_by_all(arguments);
  read_jobs(arguments.operands[0], cases ? JobPurpose::run_to_cases : JobPurpose::run, out.jobs);
  if (out.jobs.empty())
    throw Error(
        cat(arguments.operands[0] == "-" ? "standard input" : printable(arguments.operands[0]), ": no jobs"));
  keep_files(reporter, [&](const VisitFile& visit) {
    visit(arguments.operands[0], "the job file");
    for (const Job& job : out.jobs) {
      if (job.output) visit(job.output->path, "the output of a job");
      visit_reads(job, visit);
    }
  });
  // Of all shards: they share the folder, and a job has the same name in it whatever the shard.
  if (cases && !arguments.has("--list"))
    out.folders = make_case_folders(out.jobs, *cases, arguments.has("--fsync"));
  if (arguments.has("--filter")) {
    std::vector<std::string> names;
    for (const Job& job : out.jobs) names.push_back(job.name);
    const auto wanted = read_filter(arguments, names);
    keep_jobs(jobs_with_needs(out.jobs, [&](const Job& job) { return wanted(job.name); }), out);
    if (out.jobs.empty()) refuse_filter(arguments, "job");
  }
  if (shard) {
    reporter.set_shard(*shard);
    keep_jobs(jobs_of_shard(out.jobs, *shard), out);
  }
  if (only_missing) {
    const std::size_t all = out.jobs.size();
    out.jobs = missing_jobs(out.jobs);
    reporter.set_up_to_date(to_int64(all - out.jobs.size()));
  }
  require_shared_files(arguments, out.jobs);
  for (Job& job : out.jobs) {
    if (job.output) job.output->durable = arguments.has("--fsync");
  }
}

Finding finding_of(const Job& job, const JobOutcome& outcome) {
  constexpr Outcome kOutcomes[] = {Outcome::done, Outcome::error, Outcome::skipped, Outcome::interrupted};
  Finding out = finding_of(job);
  out.expected_error.reset();  // what a case expects is for `check`
  out.outcome = kOutcomes[static_cast<std::size_t>(outcome.status)];
  out.error = outcome.error;
  out.warnings = outcome.warnings;
  out.seconds = outcome.seconds;
  return out;
}

void run_ready(const Arguments& arguments, Reporter& reporter, ReadyRun& ready,
               std::optional<Progress>& progress) {
  require_same_jobs(arguments, ready.jobs);
  const std::vector<Job>& jobs = ready.jobs;
  if (arguments.has("--list")) {
    alone(arguments, [&] {
      for (const Job& job : jobs) print(cat(printable(job.name), "\n"));
    });
    return;
  }
  reporter.expect(to_int64(jobs.size()));
  BatchSettings& settings = ready.settings;
  show_batch(arguments, reporter, progress, settings);
  const bool to_cases = arguments.has(kCase);
  const auto work = [&](std::size_t i, const Settings& own) -> std::optional<Tensor> {
    if (!to_cases) return run_job(jobs[i], own);
    const CaseDestination folder{ready.folders[i], arguments.has("--fsync")};
    return run_request_as_case(jobs[i].request, folder, own, jobs[i].output);
  };
  const auto report = [&](std::size_t i, const JobOutcome& outcome) {
    reporter.add(finding_of(jobs[i], outcome));
  };
  arguments.team == nullptr ? run_batch(jobs, settings, work, report)
                            : arguments.team->run_batch(jobs, settings, work, report);
  progress->end();
}

int run_jobs(const Arguments& arguments) {
  ReadyRun ready;
  std::optional<Progress> progress;  // lives longer than the report, which hides it
  std::optional<Reporter> reporter;
  Finding whole{.suite = "tensorop run", .name = join(arguments.operands, " ")};
  whole.place.file = whole.name;
  together(arguments,
           [&] { reporter.emplace(read_report_settings(arguments, "run"), ReportKind::jobs, whole); });
  return reporter->conduct(
      [&] {
        together(arguments, [&] { read_run(arguments, *reporter, ready); });
        run_ready(arguments, *reporter, ready, progress);
      },
      [&](const std::function<void()>& complete) { alone(arguments, complete); });
}

}  // namespace

Command run_command() {
  return {"run",
          {"run JOBS [OPTION]..."},
          "Runs many operations in one process. They are a JSON list or JSON Lines; - is standard input",
          {"tensorop run jobs.jsonl", "tensorop run jobs.json --fail-fast", "make-jobs | tensorop run -",
           "tensorop run jobs.jsonl --onnx-case cases", "tensorop run jobs.jsonl --shard 3/20",
           "tensorop run jobs.jsonl --missing"},
          run_options(),
          run_jobs};
}

}  // namespace tensorop
