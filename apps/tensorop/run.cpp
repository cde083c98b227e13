// `run`: runs many operations in one process.
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "check/judge.hpp"
#include "commands.hpp"
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
      {"--missing", Heading::others, "", "run only jobs whose output does not exist"},
      case_option("also write each job as an ONNX case folder, to a folder in DIR that is called as the job; "
                  "a job then needs neither output nor id"),
      fsync_option("write each result to the disk before its job ends"),
  };
  return joined({report_options(kRunReport), batch_options(), {explain_plan_option()}, own});
}

// Throws Error if the result of a job would be mixed with the lines of the report.
void keep_report(const Arguments& arguments, const std::vector<Job>& jobs) {
  if (read_loudness(arguments) == Loudness::silent && arguments.value("--junit") != "-") return;
  for (const Job& job : jobs) {
    if (!job.output || named_descriptor(resolve_links(job.output->path)) != STDOUT_FILENO) continue;
    throw Error(cat(job.location(), ": key \"output\": ", printable(job.output->path),
                    " is standard output, "
                    "which has the report"),
                "", "-qq prints no report");
  }
}

// Returns the jobs of the shard.
std::vector<Job> read_run(const Arguments& arguments, Reporter& reporter) {
  if (arguments.operands.empty()) throw Error("no job file given");
  arguments.refuse_operands_after(1, "run takes one job file");
  const auto shard = read_shard(arguments);
  const bool only_missing = arguments.has("--missing");
  if (only_missing && arguments.team != nullptr)
    throw Error("--missing is for one process", "", "tensorop runs it, alone or in shards");
  const auto cases = arguments.value(kCase);
  require_readable_by_all(arguments);
  std::vector<Job> jobs;
  read_jobs(arguments.operands[0], cases ? JobPurpose::run_to_cases : JobPurpose::run, jobs);
  if (jobs.empty())
    throw Error(
        cat(arguments.operands[0] == "-" ? "standard input" : printable(arguments.operands[0]), ": no jobs"));
  keep_report(arguments, jobs);
  keep_files(reporter, [&](const VisitFile& visit) {
    visit(Operand::of_path(arguments.operands[0]), "the job file");
    for (const Job& job : jobs) {
      if (job.output) visit(Operand::of_path(job.output->path), "the output of a job");
      visit_reads(job, visit);
    }
  });
  // For the jobs of all shards: they share the folder, and a job has the same name in each.
  if (cases && !arguments.has("--list")) make_case_folders(jobs, *cases, arguments.has("--fsync"));
  filter_jobs(Filter(arguments, kRunReport.noun), kRunReport, jobs);
  take_shard(shard, reporter, jobs);
  if (only_missing) {
    const std::size_t all = jobs.size();
    jobs = missing_jobs(jobs);
    reporter.set_up_to_date(to_int64(all - jobs.size()));
  }
  require_shared_files(arguments, jobs);
  for (Job& job : jobs) {
    if (job.output) job.output->durable = arguments.has("--fsync");
  }
  return jobs;
}

Finding finding_of(const Job& job, const JobOutcome& outcome) {
  Finding out = finding_of(job);
  out.expected_error.reset();  // only `check` uses a case's expectation
  out.outcome = Outcome::done;
  end_finding(out, outcome);
  return out;
}

void run_jobs(const Arguments& arguments, const std::vector<Job>& jobs, Reporter& reporter,
              std::optional<Progress>& progress) {
  require_same_jobs(arguments, jobs);
  if (arguments.has("--list")) {
    alone(arguments, [&] { list_jobs(arguments, kRunReport, jobs); });
    return;
  }
  reporter.expect(to_int64(jobs.size()));
  BatchSettings settings = read_batch_settings(arguments);
  settings.fail_fast = arguments.has("--fail-fast");
  show_batch(arguments, reporter, progress, settings);
  const auto work = [&](std::size_t i, const Settings& own) -> std::optional<Tensor> {
    const Job& job = jobs[i];
    if (job.case_folder.empty()) return run_job(job, own);
    return run_request_as_case(job.request, {job.case_folder, arguments.has("--fsync")}, own, job.output);
  };
  const auto report = [&](std::size_t i, const JobOutcome& outcome) {
    reporter.add(finding_of(jobs[i], outcome));
  };
  arguments.team == nullptr ? run_batch(jobs, settings, work, report)
                            : arguments.team->run_batch(jobs, settings, work, report);
  progress->end();
}

int run_run(const Arguments& arguments) {
  return report_on(arguments, kRunReport, [&](auto& reporter, auto& progress) {
    std::vector<Job> jobs;
    together(arguments, [&] { jobs = read_run(arguments, reporter); });
    run_jobs(arguments, jobs, reporter, progress);
  });
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
          run_run};
}

}  // namespace tensorop
