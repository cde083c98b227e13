// `check`: golden files.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "check/case_files.hpp"
#include "check/check.hpp"
#include "check/judge.hpp"
#include "check/known_failure_lines.hpp"
#include "check/known_failures.hpp"
#include "commands.hpp"
#include "engine/version.hpp"
#include "explain/portability.hpp"
#include "jobs/cases.hpp"
#include "ops/publisher.hpp"
#include "progress.hpp"
#include "report/shrunk_report.hpp"
#include "report_options.hpp"
#include "shrink/kept_case.hpp"
#include "shrink/shrink.hpp"
#include "team.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kShrink = "--shrink";
constexpr std::string_view kKnownFailures = "--known-failures";
constexpr std::string_view kWriteKnownFailures = "--write-known-failures";

std::vector<Option> check_options() {
  const std::vector<Option> own = {
      {std::string(kListSkipped), Heading::selection, "",
       "also list the ONNX cases that are skipped, the cases that are not given to the program, and known "
       "failures, each with the reason: an operator, opset or dtype that tensorop does not have, a graph of "
       "several nodes, ..."},
      {"--actual", Heading::actual, "DIR|FILE",
       "compare the results of another program: files in DIR, or FILE, the result of the only case",
       OptionRules{.decides = true}},
      {"--command", Heading::actual, "CMD",
       "compare the results of a program that is run for each case: words and placeholders such as "
       "{inputs} {output}",
       OptionRules{.excludes = "--actual", .decides = true}},
      {"--timeout", Heading::actual, "SECONDS", "how long a program may run",
       OptionRules{.kind = OptionKind::seconds, .by_default = "60", .needs = "--command", .decides = true}},
      {"--shell", Heading::actual, "", "CMD is a command of /bin/sh",
       OptionRules{.needs = "--command", .decides = true}},
      {std::string(kShrink), Heading::actual, "",
       "make the cases that fail smaller while they fail in the same way, and report one for each way",
       OptionRules{.needs = "--command", .excludes = "--ignore"}},  // a mask has a single shape
      {"--budget", Heading::actual, "SECONDS", "the time for smaller cases",
       OptionRules{.kind = OptionKind::seconds, .by_default = "60", .needs = kShrink}},
      {"--keep", Heading::actual, "DIR", "the folder for the smallest cases; default: CASE/shrunk",
       OptionRules{.kind = OptionKind::path, .needs = kShrink}},
      {std::string(kKnownFailures), Heading::selection, "FILE",
       "cases that may fail: lines NAME-PATTERN or op=NAME dtype=int8 ATTRIBUTE=VALUE, then # and "
       "the reason; a line whose cases pass is a failure",
       OptionRules{.excludes = "--update --list"}},
      {std::string(kWriteKnownFailures), Heading::report, "FILE",
       "also write the lines of --known-failures that excuse the cases that fail",
       OptionRules{.kind = OptionKind::file,
                   .excludes = "--update --list --filter --exclude --shard --fail-fast",
                   .hint = "lines for groups of cases need the outcome of every case"}},
      {"--update", Heading::actual, "", "rewrite golden files that are missing or differ, and list them",
       OptionRules{.excludes = "--actual --command --shard",
                   .hint = "one process rewrites golden files, with what tensorop computes"}},
      {"--spec", Heading::semantics, join(spec_forms(), "|"),
       "call all cases under this version of their operators",
       OptionRules{.excludes = "--update",
                   .hint = "golden files hold the results of the versions that the cases name",
                   .decides = true}},
      {"--ignore-open", Heading::equality, "", "do not compare elements that a case's --spec leaves open",
       OptionRules{.decides = true}},
      ignore_option(),
      show_option(),
      {"--why", Heading::report, "",
       "explain each element that is listed: from which elements of the operands it is made",
       OptionRules{.decides = true}},
      shard_option(),
  };
  std::vector<Option> tolerances = tolerance_options();
  for (Option& option : tolerances) {
    if (option.name != "--exact-bits")
      option.help = cat("for cases without their own, and ONNX cases: ", option.help);
    if (option.name == "--rtol") option.help += ", of ONNX cases 1e-3";
    if (option.name == "--atol") option.help += ", of ONNX cases 1e-7";
  }
  return joined({report_options(kCheckReport), own, picture_options(), batch_options(), tolerances});
}

// The folder for findings of --shrink, and the time for the search.
struct ShrinkPlan {
  std::chrono::duration<double> budget;
  std::string folder;
};

// The settings and cases of a check before its first case runs.
struct ReadyCheck {
  CheckSettings settings = {};
  std::optional<ShrinkPlan> shrink = {};
  std::optional<KnownFailures> known = {};
  // For --write-known-failures. The file is opened first, so that a run of hours does not fail at its end.
  std::optional<KnownFailureLines> known_lines = {};
  std::optional<OutputFile> known_file = {};
  std::vector<UnreadableCases> unreadable = {};
  std::vector<Job> jobs = {};          // the jobs of the shard
  bool all_skipped = false;            // for all shards together
  bool has_ended = false;              // all findings are in the report
  std::optional<Error> not_kept = {};  // why findings of --shrink are not kept
};

// Calls all cases under one version.
void set_version(const std::string& spec, std::vector<Job>& jobs) {
  if (names_several(spec)) throw Error(cat("--spec: ", in_quotes(spec), " has no single result"));
  (void)with_context("--spec", [&] { return parse_spec(spec); });
  for (Job& job : jobs) {
    if (is_of_versions(job))
      throw Error(cat(job.location(), ": a case of several versions cannot be combined with --spec"));
    job.request.spec = spec;
  }
}

// Returns the cases of all shards.
std::vector<Job> wanted_cases(const Arguments& arguments, const CheckSettings& settings,
                              std::vector<Unseen>& unseen, std::vector<UnreadableCases>& unreadable) {
  const bool of_others = arguments.has("--actual") || arguments.has("--command");
  JobDefaults defaults;
  defaults.tolerances = read_tolerance_texts(arguments);
  (void)parse_tolerances(defaults.tolerances);
  std::vector<Job> jobs =
      read_cases(arguments.operands, of_others ? JobPurpose::check_others : JobPurpose::check, defaults,
                 &unreadable, &unseen);
  // If there is only one file, its error is reported like any other.
  if (jobs.empty() && unreadable.size() == 1) throw Error(unreadable[0].error);
  if (const auto spec = arguments.value("--spec")) set_version(*spec, jobs);
  join_case_files(jobs, {settings.actual, settings.update, settings.mask.value_or("")});
  if (settings.known != nullptr) {
    settings.known->find_cases(jobs, {.threads = settings.batch.threads, .memory = settings.batch.memory});
    add_unseen(unseen, settings.known->unused());
  }
  filter_jobs(arguments, kCheckReport, jobs, unreadable.empty());
  if (jobs.empty() && unreadable.empty()) throw Error("no cases");
  for (const char* option : {"--command", "--update"}) {
    const auto job = std::ranges::find_if(jobs, [](const Job& each) { return each.actual.has_value(); });
    if (job == jobs.end() || !arguments.has(option)) continue;
    throw Error(cat(job->location(), ": key \"actual\" cannot be combined with ", option), "",
                "the result of this case is the file that it names");
  }
  return jobs;
}

constexpr std::string_view kKnownFile = "the file of known failures";

void visit_inputs(const ReadyCheck& check, const VisitFile& visit) {
  visit(check.settings.mask.value_or(""), "the mask of --ignore");
  visit(check.known ? check.known->path() : "", kKnownFile);
  for (const UnreadableCases& cases : check.unreadable) visit(cases.path, "a case file");
  for (const Job& job : check.jobs) {
    visit(job.file, "a case file");
    if (!job.folder.empty()) visit(cat(directory_of(job.file), "/"), "in the folder of an ONNX case");
    visit(job.model, "the model of a case");
    visit_reads(job, visit);
    if (job.files->result) visit(job.files->result->path, "a result to compare");
  }
}

// Returns the folder or file of --actual, or nothing.
std::string read_actual(const Arguments& arguments) {
  if (!arguments.has("--actual")) return {};
  std::string path = *arguments.value("--actual");
  struct stat info {};
  if (os().stat(path.c_str(), &info) != 0) throw_errno(path, "cannot open what --actual names");
  return path;
}

std::optional<ProgramSettings> read_program(const Arguments& arguments) {
  const auto command = arguments.value("--command");
  if (!command) return std::nullopt;
  const auto shell = arguments.has("--shell") ? CommandTemplate::Shell::yes : CommandTemplate::Shell::no;
  return ProgramSettings{with_context("--command", [&] { return CommandTemplate(*command, shell); }),
                         std::chrono::duration<double>(arguments.seconds("--timeout"))};
}

CheckSettings read_check_settings(const Arguments& arguments) {
  CheckSettings settings{read_batch_settings(arguments), arguments.has("--update"),
                         read_actual(arguments),         read_program(arguments),
                         read_show(arguments),           arguments.has("--ignore-open"),
                         arguments.value("--ignore"),    read_picture_options(arguments)};
  settings.batch.fail_fast = arguments.has("--fail-fast");
  return settings;
}

std::optional<ShrinkPlan> read_shrink(const Arguments& arguments) {
  if (!arguments.has(kShrink)) return std::nullopt;
  const std::string& first = arguments.operands[0];
  std::string beside = is_folder(first) ? first : directory_of(first);
  if (beside == ".") beside.clear();
  return ShrinkPlan{.budget = std::chrono::duration<double>(arguments.seconds("--budget")),
                    .folder = arguments.value("--keep").value_or(path_from(beside, "shrunk"))};
}

// Reports files and folders that could not be read, at the end of standard error.
void report_unreadable(const std::vector<UnreadableCases>& unreadable) {
  for (const auto& [path, error] : unreadable) {
    Failure shown(error);
    shown.add_context("check");
    report_error(shown);
  }
}

void read_check(const Arguments& arguments, Reporter& reporter, ReadyCheck& out) {
  together(arguments, [&] {
    if (arguments.team == nullptr) return;
    throw Error("cases are for one process, not for several ranks", "",
                "check --shard I/N on each machine divides them");
  });
  if (arguments.operands.empty()) throw Error("no case file or folder given");
  if (arguments.value("--ignore") == "-" && std::ranges::count(arguments.operands, "-") != 0)
    throw Error("standard input can be read only once");
  out.settings = read_check_settings(arguments);
  out.shrink = read_shrink(arguments);
  if (const auto file = arguments.value(kKnownFailures)) out.settings.known = &out.known.emplace(*file);
  const auto shard = read_shard(arguments);
  std::vector<Unseen> unseen;
  out.jobs = wanted_cases(arguments, out.settings, unseen, out.unreadable);
  reporter.add_unseen(unseen);
  out.all_skipped = std::ranges::all_of(out.jobs, [](const Job& job) { return job.skipped.has_value(); });
  keep_files(reporter, [&](const VisitFile& visit) { visit_inputs(out, visit); });
  if (const auto file = arguments.value(kWriteKnownFailures)) {
    const std::string what = input_at(*file, [&](const VisitFile& visit) {
      visit_inputs(out, visit);
      for (const char* report : {"--junit", "--html", "--markdown"})
        visit(arguments.value(report).value_or(""), "the file of a report");
    });
    // Lines of the known-failures file that still hold are written again, so it may be the same file.
    if (!what.empty() && what != kKnownFile)
      throw Error(cat(kWriteKnownFailures, " ", printable(*file), " is ", what));
    out.known_file = OutputFile::create(*file);
    out.known_lines.emplace();
  }
  take_shard(shard, reporter, out.jobs);
}

// Throws Error if the run shows nothing about the program: it got no case, or all cases are known failures.
// In a shard, known failures are enough.
void require_evidence(const Counts& counts, bool is_shard) {
  const std::int64_t not_given = counts[Outcome::not_given];
  const std::int64_t known = counts[Outcome::known_failure];
  const std::int64_t tried = ReportEnd{counts}.sum(kCheckReport, OutcomeRow::Counts::as_entry);
  if (not_given != 0 && tried == 0)
    throw Error("no case was given to the program", "",
                cat(kListSkipped, " lists the cases with their reasons"));
  if (!is_shard && known != 0 && known == tried)
    throw Error("no case passes, all are known failures", "", "a run needs a case that passes");
}

void write_known_failures(ReadyCheck& check) {
  const Settings settings{.threads = check.settings.batch.threads, .memory = check.settings.batch.memory};
  const std::string text = check.known_lines->text(check.jobs, check.known ? &*check.known : nullptr,
                                                   settings, check.unreadable.empty());
  check.known_file->append(text_bytes(text));
  check.known_file->commit();
}

// Runs the cases, then reports files that could not be read.
void check(const Arguments& arguments, Reporter& reporter, ReadyCheck& ready,
           std::optional<Progress>& progress) {
  if (arguments.has("--list")) {
    list_jobs(arguments, kCheckReport, ready.jobs);
  } else {
    reporter.expect(std::ranges::count_if(ready.jobs, &Job::is_case));
    show_batch(arguments, reporter, progress, ready.settings.batch);
    const std::string options = repeated_options(arguments);
    const FindingReport report = [&](const Finding& finding) {
      if (ready.known_lines) ready.known_lines->add(finding);
      if (!finding.shrunk || !finding.shrunk->fails_again) return reporter.add(finding);
      Finding kept = finding;
      try {
        keep_case(kept, ready.shrink->folder, options, [&](const Finding& all, const std::string& command) {
          return kept_text(all, command, options);
        });
      } catch (const Error& error) {
        kept.warnings.push_back(cat("not kept: ", std::string_view(error.what())));
        if (!ready.not_kept) ready.not_kept = error;
      }
      reporter.add(kept);
    };
    if (ready.shrink) {
      shrink_cases(ready.jobs, ready.settings, ready.shrink->budget, report);
    } else {
      check_cases(ready.jobs, ready.settings, report);
    }
    progress->end();
    if (ready.known_lines) write_known_failures(ready);
  }
  if (ready.known && !arguments.has("--list")) {
    for (const Finding& finding : ready.known->passing()) reporter.add(finding);
  }
  for (const auto& [path, error] : ready.unreadable) {
    Finding finding{.suite = path, .name = path, .place = {path, 0, printable(path), path}};
    finding.outcome = Outcome::unreadable;
    finding.error = std::make_shared<Failure>(error);
    reporter.add(finding);
  }
  ready.has_ended = true;
  if (ready.not_kept) throw Error(*ready.not_kept);
  require_evidence(reporter.counts(), arguments.has("--shard"));
  if (arguments.has("--list") || !ready.all_skipped || !ready.unreadable.empty()) return;
  const Counts& counts = reporter.counts();
  const bool has_none = counts[Outcome::skipped] == 0;
  throw Error(cat("no case that tensorop has", has_none ? "" : cat(": ", skipped_text(counts))), "",
              arguments.has(kListSkipped) ? "" : cat(kListSkipped, " lists them with their reasons"));
}

int run_check(const Arguments& arguments) {
  ReadyCheck ready;
  int status = 0;
  try {
    status = report_on(arguments, kCheckReport, [&](auto& reporter, auto& progress) {
      read_check(arguments, reporter, ready);
      check(arguments, reporter, ready, progress);
    });
  } catch (...) {
    if (ready.has_ended) report_unreadable(ready.unreadable);
    throw;
  }
  report_unreadable(ready.unreadable);
  return status;
}

}  // namespace

Command check_command() {
  return {"check",
          {"check CASE... [OPTION]..."},
          "Runs cases and compares each result with the expected one. Cases are in job files, in folders of "
          "these, "
          "and in ONNX case folders",
          {"tensorop check cases.jsonl", "tensorop check onnx/backend/test/data/node --list-skipped",
           "tensorop check tests/golden --junit report.xml",
           "tensorop check tests/golden --filter 'resize*' --update", "tensorop check tests/golden --json",
           "tensorop check tests/golden --actual results --junit report.xml",
           "tensorop check tests/golden --shard 2/4 --junit report-2.xml",
           "tensorop check tests/golden --command './run.py {case}' --jobs 4"},
          check_options(),
          run_check};
}

}  // namespace tensorop
