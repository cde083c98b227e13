// `check`: golden files.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/files/folder_walk.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
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
constexpr std::string_view kUpdate = "--update";

std::vector<Option> check_options() {
  const std::vector<Option> own = {
      {std::string(kListSkipped), Heading::selection, "",
       "also list the ONNX cases that are skipped, the cases that are not given to the program, and known "
       "failures, each with the reason: an operator, opset or dtype that tensorop does not have, a graph of "
       "several nodes, ..."},
      {"--actual", Heading::actual, "DIR|FILE",
       "compare the results of another program: files in DIR, or FILE, the result of the only case",
       OptionRules{.kind = OptionKind::file, .decides = true}},
      {"--command", Heading::actual, "CMD",
       "compare the results of a program that is run for each case: words and placeholders such as "
       "{inputs} {output}; {case} is appended if there are none",
       OptionRules{.excludes = "--actual", .decides = true}},
      {"--timeout", Heading::actual, "SECONDS", "how long a program may run",
       OptionRules{.kind = OptionKind::seconds, .by_default = "60", .needs = "--command", .decides = true}},
      {"--crashes", Heading::actual, "N", "run no more cases after the program crashed or was killed in N",
       OptionRules{.kind = OptionKind::integer, .by_default = "10", .needs = "--command", .decides = true}},
      {"--shell", Heading::actual, "", "CMD is a command of /bin/sh",
       OptionRules{.needs = "--command", .decides = true}},
      {std::string(kShrink), Heading::actual, "",
       "make the cases that fail smaller while they fail in the same way, and report one for each way",
       OptionRules{.needs = "--command"}},
      {"--budget", Heading::actual, "SECONDS", "the time for smaller cases",
       OptionRules{.kind = OptionKind::seconds, .by_default = "60", .needs = kShrink}},
      {"--keep", Heading::actual, "DIR", "the folder for the smallest cases; default: CASE/shrunk",
       OptionRules{.kind = OptionKind::path, .needs = kShrink}},
      {std::string(kKnownFailures), Heading::selection, "FILE",
       "cases that may fail: lines NAME-PATTERN or op=NAME dtype=int8 ATTRIBUTE=VALUE status=crashed, then # "
       "and "
       "the reason; a line whose cases pass is a failure",
       OptionRules{.kind = OptionKind::path, .excludes = "--list"}},
      {std::string(kUpdate), Heading::actual, "",
       "rewrite golden files that are missing or differ, and list them; with --known-failures rewrite that "
       "FILE "
       "instead: add the cases that fail, remove the lines that excuse no case",
       OptionRules{.excludes = "--actual --command --shard --spec",
                   .unless = kKnownFailures,
                   .hint =
                       "golden files hold what tensorop computes, in one process, under the versions of the "
                       "cases"}},
      {"--spec", Heading::semantics, join(spec_forms(), "|"),
       "call all cases under this version of their operators", OptionRules{.decides = true}},
      {"--compare-open", Heading::equality, "",
       "also compare elements that a case's version leaves unspecified, if the case does not say it",
       OptionRules{.decides = true}},
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
  return joined({report_options(kCheckReport), own, batch_options(), tolerances});
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
  std::optional<KnownFailureLines> known_lines = {};  // for --known-failures --update
  std::vector<UnreadableCases> unreadable = {};
  std::vector<Job> jobs = {};          // the jobs of the shard
  bool all_skipped = false;            // for all shards together
  bool has_result = false;             // of a case, right or wrong
  bool has_ended = false;              // all findings are in the report
  std::optional<Error> not_kept = {};  // why findings of --shrink are not kept
};

// Returns the version under which all cases are called, if one is given.
std::optional<std::string> read_spec(const Arguments& arguments) {
  auto spec = arguments.value("--spec");
  if (spec && names_several(*spec)) throw Error(cat("--spec: ", in_quotes(*spec), " has no single result"));
  (void)with_context("--spec", [&] { return parse_spec(spec); });
  return spec;
}

// Returns the cases of all shards.
std::vector<Job> wanted_cases(const Arguments& arguments, const CheckSettings& settings,
                              std::vector<Unseen>& unseen, std::vector<UnreadableCases>& unreadable) {
  const bool of_others = arguments.has("--actual") || arguments.has("--command");
  JobDefaults defaults;
  defaults.only_spec = read_spec(arguments);
  defaults.tolerances = read_tolerance_texts(arguments);
  (void)parse_tolerances(defaults.tolerances);
  std::vector<Job> jobs =
      read_cases(arguments.operands, of_others ? JobPurpose::check_others : JobPurpose::check, defaults,
                 &unreadable, &unseen);
  // If there is only one file, its error is reported like any other.
  if (jobs.empty() && unreadable.size() == 1) throw Error(unreadable[0].error);
  join_case_files(jobs, {settings.actual, settings.update});
  if (settings.known != nullptr) {
    settings.known->find_cases(jobs, {.threads = settings.batch.threads, .memory = settings.batch.memory});
    add_unseen(unseen, settings.known->unused());
  }
  filter_jobs(Filter(arguments, kCheckReport.noun), kCheckReport, jobs, unreadable.empty());
  if (jobs.empty() && unreadable.empty()) throw Error("no cases");
  const auto job = std::ranges::find_if(jobs, [](const Job& each) { return each.actual.has_value(); });
  if (job != jobs.end() && (settings.program || settings.update))
    throw Error(cat(job->location(), ": key \"actual\" cannot be combined with ",
                    settings.program ? "--command" : kUpdate),
                "", "the result of this case is the file that it names");
  return jobs;
}

constexpr std::string_view kKnownFile = "the file of known failures";

void visit_inputs(const ReadyCheck& check, const VisitFile& visit) {
  for (const UnreadableCases& cases : check.unreadable) visit(Operand::of_path(cases.path), "a case file");
  for (const Job& job : check.jobs) {
    visit(Operand::of_path(job.file), "a case file");
    if (!job.folder.empty())
      visit(Operand::of_path(cat(directory_of(job.file), "/")), "in the folder of an ONNX case");
    visit(Operand::of_path(job.model), "the model of a case");
    visit_reads(job, visit);
    if (job.files->result) visit(job.files->result->file, "a result to compare");
  }
  if (check.known) visit(Operand::of_path(check.known->path()), kKnownFile);
}

// Returns the folder or file of --actual, or nothing.
std::string read_actual(const Arguments& arguments) {
  if (!arguments.has("--actual")) return {};
  std::string path = *arguments.value("--actual");
  struct stat info {};
  const std::string file = Operand::of_file(path).path;
  if (os().stat(file.c_str(), &info) != 0) throw_errno(file, "cannot open what --actual names");
  return path;
}

std::optional<ProgramSettings> read_program(const Arguments& arguments) {
  const auto command = arguments.value("--command");
  if (!command) return std::nullopt;
  const auto shell = arguments.has("--shell") ? CommandTemplate::Shell::yes : CommandTemplate::Shell::no;
  return ProgramSettings{with_context("--command", [&] { return CommandTemplate(*command, shell); }),
                         std::chrono::duration<double>(arguments.seconds("--timeout")),
                         to_size(*arguments.integer("--crashes"))};
}

CheckSettings read_check_settings(const Arguments& arguments) {
  CheckSettings settings{.batch = read_batch_settings(arguments),
                         .update = arguments.has(kUpdate) && !arguments.has(kKnownFailures),
                         .actual = read_actual(arguments),
                         .program = read_program(arguments),
                         .show = read_show(arguments),
                         .compare_open = arguments.has("--compare-open"),
                         .picture = read_picture_options(arguments)};
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

// Throws Error unless the file of known failures may be written: a run of hours must not fail at its end.
void require_rewritable(const ReadyCheck& check) {
  const std::string& path = check.known->path();
  const std::string what = input_at(path, [&](const VisitFile& visit) { visit_inputs(check, visit); });
  if (what != kKnownFile) throw Error(cat(kKnownFailures, " ", printable(path), " is ", what));
  (void)OutputFile::create(path);
}

void read_check(const Arguments& arguments, Reporter& reporter, ReadyCheck& out) {
  together(arguments, [&] {
    if (arguments.team == nullptr) return;
    throw Error("cases are for one process, not for several ranks", "",
                "check --shard I/N on each machine divides them");
  });
  if (arguments.operands.empty()) throw Error("no case file or folder given");
  const std::int64_t streams =
      std::ranges::count(arguments.operands, "-") + (arguments.value(kKnownFailures) == "-" ? 1 : 0);
  if (streams > 1) throw Error("standard input can be read only once");
  out.settings = read_check_settings(arguments);
  out.shrink = read_shrink(arguments);
  const bool updates_known = arguments.has(kUpdate) && !out.settings.update;
  if (const auto file = arguments.value(kKnownFailures))
    out.settings.known = &out.known.emplace(*file, updates_known);
  const auto shard = read_shard(arguments);
  std::vector<Unseen> unseen;
  out.jobs = wanted_cases(arguments, out.settings, unseen, out.unreadable);
  reporter.add_unseen(unseen);
  out.all_skipped = std::ranges::all_of(out.jobs, [](const Job& job) { return job.skipped.has_value(); });
  keep_files(reporter, [&](const VisitFile& visit) { visit_inputs(out, visit); });
  if (updates_known) {
    require_rewritable(out);
    out.known_lines.emplace();
  }
  take_shard(shard, reporter, out.jobs);
}

// Throws Error if the run shows nothing about the program: it got no case, or has no result of a case. In a
// shard, known failures are enough.
void require_evidence(const Counts& counts, bool has_result, bool is_shard) {
  const std::int64_t not_given = counts[Outcome::not_given];
  const std::int64_t known = counts[Outcome::known_failure];
  const std::int64_t tried = ReportEnd{counts}.sum(kCheckReport, OutcomeRow::Counts::as_entry);
  if (not_given != 0 && tried == 0)
    throw Error("no case was given to the program", "",
                cat(kListSkipped, " lists the cases with their reasons"));
  if (!is_shard && known != 0 && known == tried && !has_result)
    throw Error("no case has a result, all are known failures", "", "a run needs a case that has a result");
}

// Rewrites the file of known failures, and says what has changed.
void update_known_failures(const Arguments& arguments, ReadyCheck& check, Reporter& reporter) {
  const Settings settings{.threads = check.settings.batch.threads, .memory = check.settings.batch.memory};
  const bool is_filtered = Filter(arguments, kCheckReport.noun).is_given();
  const bool are_all = check.unreadable.empty() && !is_filtered && !arguments.has("--shard");
  reporter.add_note(change_known_failures(
      check.known->path(), {.removed = check.known->void_lines(),
                            .added = check.known_lines->lines(check.jobs, settings, are_all)}));
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
      ready.has_result = ready.has_result || finding.comparison;
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
    if (ready.known_lines) update_known_failures(arguments, ready, reporter);
  }
  if (ready.known && !arguments.has("--list")) {
    for (const Finding& finding : ready.known->passing()) reporter.add(finding);
    reporter.add_unseen(ready.known->unjudged());
  }
  for (const auto& [path, error] : ready.unreadable) {
    Finding finding{.suite = path, .name = path, .place = {path, 0, printable(path), path}};
    finding.outcome = Outcome::unreadable;
    finding.error = std::make_shared<Failure>(error);
    reporter.add(finding);
  }
  ready.has_ended = true;
  if (ready.not_kept) throw Error(*ready.not_kept);
  require_evidence(reporter.counts(), ready.has_result, arguments.has("--shard"));
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
