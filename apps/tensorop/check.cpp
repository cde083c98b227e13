// `check`: golden files.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "golden/check.hpp"
#include "golden/external.hpp"
#include "jobs/cases.hpp"
#include "junit_output.hpp"
#include "progress.hpp"
#include "report/check_report.hpp"
#include "report/report_lines.hpp"
#include "shard_option.hpp"
#include "team.hpp"

namespace tensorop {
namespace {

constexpr int kError = 2;
constexpr std::string_view kListSkipped = "--list-skipped";

std::vector<Option> check_options() {
  std::vector<Option> options = {
      {"--filter", OptionKind::value, "TEXT",
       "only cases whose name contains TEXT; with * or ? TEXT is a glob"},
      {"--list", OptionKind::flag, "", "print the names of the cases, and run none"},
      {std::string(kListSkipped), OptionKind::flag, "",
       "also list the ONNX cases that are skipped, each with the reason: an operator, opset or dtype that "
       "tensorop does not have, a graph of several nodes, ..."},
      {"--actual", OptionKind::value, "DIR", "compare the results of another program, files in DIR"},
      {"--command", OptionKind::value, "CMD",
       "compare the results of a program that is run for each case: words and placeholders such as {inputs} "
       "{output}"},
      {"--timeout", OptionKind::value, "SECONDS", "with --command: how long a program may run; default 60"},
      {"--shell", OptionKind::flag, "", "with --command: CMD is a command of /bin/sh"},
      {"--update", OptionKind::flag, "", "rewrite golden files that are missing or differ, and list them"},
      {"--ignore-open", OptionKind::flag, "", "do not compare elements that a case's --spec leaves open"},
      {"--fail-fast", OptionKind::flag, "", "stop after the first case that fails"},
      show_option(),
      junit_option(),
      {"--json", OptionKind::flag, "", "print the report as a JSON object, for programs"},
      {"--quiet", OptionKind::flag, "", "no report, only the exit status", "-q"},
  };
  options.push_back(shard_option());
  for (Option& option : batch_options()) options.push_back(std::move(option));
  for (Option& option : tolerance_options()) {
    option.help = cat("for cases without their own, and ONNX cases: ", option.help);
    if (option.name == "--rtol") option.help += ", of ONNX cases 1e-3";
    if (option.name == "--atol") option.help += ", of ONNX cases 1e-7";
    options.push_back(std::move(option));
  }
  return options;
}

// Of all shards.
std::vector<Job> wanted_cases(const Arguments& arguments, std::vector<UnreadableCases>& unreadable) {
  require_readable_by_all(arguments);
  const bool of_others = arguments.has("--actual") || arguments.has("--command");
  JobDefaults defaults;
  defaults.tolerances = read_tolerance_texts(arguments);
  (void)parse_tolerances(defaults.tolerances);
  std::vector<Job> jobs = read_cases(
      arguments.operands, of_others ? JobPurpose::check_others : JobPurpose::check, defaults, &unreadable);
  // One that is alone is reported as any error.
  if (jobs.empty() && unreadable.size() == 1) throw Error(unreadable[0].error);
  if (const auto filter = arguments.value("--filter")) {
    jobs = select_cases(jobs, [&](const std::string& name) { return matches_filter(name, *filter); });
    if (jobs.empty() && unreadable.empty())
      throw Error(cat("--filter ", in_quotes(*filter), " matches no case"));
  }
  if (jobs.empty() && unreadable.empty()) throw Error("no cases");
  return jobs;
}

// What another program has computed is for one process.
void require_own_results(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    if (job.actual) throw Error(cat(job.location(), ": results of another program are for one process"));
  }
}

// The worst outcome decides.
int exit_status(const CheckCounts& counts) {
  if (counts.error != 0) return kError;
  return counts.different != 0 ? 1 : 0;
}

// The report must not replace a file that the check reads.
void require_no_input(const std::string& report, const std::vector<Job>& jobs,
                      const std::vector<UnreadableCases>& unreadable, const std::string& actual_folder) {
  PathKeys keys;
  const std::string key = keys.of(report);
  const std::vector<std::string> folders = keys.folders_of(report);
  const auto refuse = [&](std::string_view what) {
    throw Error(cat("--junit ", printable(report), " is ", what));
  };
  const auto refuse_if = [&](const std::string& path, std::string_view what) {
    if (keys.of(path) == key) refuse(what);
  };
  for (const UnreadableCases& cases : unreadable) refuse_if(cases.path, "a case file");
  for (const Job& job : jobs) {
    refuse_if(job.file, "a case file");
    const bool has_folder = !job.folder.empty();
    if (has_folder && std::ranges::count(folders, keys.of_folder(directory_of(job.file))) != 0) {
      refuse("in the folder of an ONNX case");
    }
    if (!job.model.empty()) refuse_if(job.model, "the model of a case");
    for_each_reference(job, [&](const std::string& /*key*/, const std::string& text) {
      for (const std::string& file : files_of(text)) refuse_if(file, "an operand");
    });
    if (job.expect && job.expect->kind == Expectation::Kind::file) {
      for (const std::string& file : files_of(job.expect->text)) refuse_if(file, "a golden file");
    }
    std::string actual = job.actual.value_or("");
    if (job.is_case && !job.actual && !actual_folder.empty()) {
      actual = with_context(job.location(), [&] { return find_external(job, actual_folder).path; });
    }
    if (actual.empty()) continue;
    for (const std::string& file : files_of(actual)) refuse_if(file, "a result to compare");
  }
}

// The folder of --actual, or nothing.
std::string read_actual(const Arguments& arguments) {
  if (!arguments.has("--actual")) return {};
  std::string folder = *arguments.value("--actual");
  struct stat info {};
  if (os().stat(folder.c_str(), &info) != 0) throw_errno(folder, "cannot open the folder of --actual");
  if (!S_ISDIR(info.st_mode)) throw Error(cat("--actual ", in_quotes(folder), " is not a folder"));
  return folder;
}

std::chrono::duration<double> read_timeout(const Arguments& arguments) {
  constexpr double kDefault = 60;
  constexpr double kMost = 1e6;
  const auto text = arguments.value("--timeout");
  if (!text) return std::chrono::duration<double>(kDefault);
  double seconds = 0;
  const auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (end != text->data() + text->size() || status != std::errc{} || !(seconds > 0 && seconds <= kMost)) {
    throw Error(
        cat("--timeout ", in_quotes(*text), " is not a number of seconds above 0 and at most 1000000"));
  }
  return std::chrono::duration<double>(seconds);
}

std::optional<ProgramSettings> read_program(const Arguments& arguments) {
  const auto command = arguments.value("--command");
  if (!command) {
    for (const char* option : {"--timeout", "--shell"}) {
      if (arguments.has(option)) throw Error(cat(option, " needs --command"));
    }
    return std::nullopt;
  }
  if (arguments.has("--actual")) throw Error("--command cannot be combined with --actual");
  const auto shell = arguments.has("--shell") ? CommandTemplate::Shell::yes : CommandTemplate::Shell::no;
  return ProgramSettings{with_context("--command", [&] { return CommandTemplate(*command, shell); }),
                         read_timeout(arguments)};
}

CheckSettings read_check_settings(const Arguments& arguments) {
  const bool updates = arguments.has("--update");
  for (const char* option : {"--actual", "--command"}) {
    if (!updates || !arguments.has(option)) continue;
    throw Error(cat(option, " cannot be combined with --update"), "",
                "--update makes golden files of what tensorop computes");
  }
  CheckSettings settings{read_batch_settings(arguments), updates,
                         read_actual(arguments),         read_program(arguments),
                         read_show(arguments),           arguments.has("--ignore-open")};
  settings.batch.fail_fast = arguments.has("--fail-fast");
  return settings;
}

// What could not be read, at the end of standard error.
void report_unreadable(const std::vector<UnreadableCases>& unreadable) {
  for (const auto& [path, error] : unreadable) {
    std::fputs(cat("tensorop: check: ", error_lines(error)).c_str(), stderr);
  }
}

void list_cases(const Arguments& arguments, const std::vector<Job>& jobs) {
  for (const char* option : {"--update", "--junit", "--json", "--quiet"}) {
    if (arguments.has(option)) throw Error(cat("--list cannot be combined with ", option));
  }
  std::string names;
  for (const Job& job : jobs) {
    if (!job.is_case || (job.skipped && !arguments.has(kListSkipped))) continue;
    names += job.skipped ? cat(printable(job.name), ": skipped: ", job.skipped->reason, "\n")
                         : cat(printable(job.name), "\n");
  }
  print(names);
}

// A check as far as it is known before its first case.
struct ReadyCheck {
  CheckSettings settings;
  std::optional<Shard> shard;
  std::vector<UnreadableCases> unreadable = {};
  std::vector<Job> jobs = {};  // those of the shard
  bool all_skipped = false;    // of all shards
  std::optional<JUnitOutput> junit = {};
};

ReadyCheck read_check(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no case file or folder given");
  const Team* const team = arguments.team;
  for (const char* option : {"--actual", "--command", "--update"}) refuse_in_team(arguments, option);
  ReadyCheck out{.settings = read_check_settings(arguments), .shard = read_shard(arguments)};
  // Every process runs every case: their calls are what a team does together.
  if (team != nullptr) out.settings.batch.executor = &team->executor;
  out.jobs = wanted_cases(arguments, out.unreadable);
  if (team != nullptr) require_own_results(out.jobs);
  out.all_skipped = std::ranges::all_of(out.jobs, [](const Job& job) { return job.skipped.has_value(); });
  const bool runs = !arguments.has("--list");
  if (const auto path = arguments.value("--junit"); runs && path && *path != "-")
    require_no_input(*path, out.jobs, out.unreadable, out.settings.actual_folder);
  if (out.shard) out.jobs = select_shard(out.jobs, *out.shard);
  if (runs) out.junit.emplace(team == nullptr || team->is_first ? arguments : Arguments(), "tensorop check");
  return out;
}

// The report of a check, on standard output and for --junit. Where standard output fails the check ends; that
// of a team goes on, but says no more, because the other processes wait for this one.
class CheckOutput {
 public:
  CheckOutput(const Arguments& arguments, const ReadyCheck& check, JUnitOutput& junit, Progress& progress)
      : check_(check),
        junit_(junit),
        progress_(progress),
        is_alone_(arguments.team == nullptr),
        quiet_(arguments.has("--quiet") || junit.takes_standard_output()),
        as_json_(arguments.has("--json")),
        lists_skipped_(arguments.has(kListSkipped)),
        json_(check.shard) {}

  void add(const Job& job, const CaseResult& result) {
    if (junit_.is_wanted()) junit_.add(junit_test(job, result));
    const bool is_counted_only = result.outcome == CaseOutcome::skipped && !lists_skipped_;
    if (quiet_ || failure_ || (is_counted_only && !as_json_)) return;
    try {
      say(as_json_ ? json_.add(job, result) : case_text(job, result));
    } catch (const Failure& error) {
      if (is_alone_) throw;
      failure_ = error;
    }
  }

  // Throws Error, also what add() could not say.
  void finish(const CheckCounts& counts) {
    if (failure_) throw Failure(*failure_);
    if (junit_.is_wanted()) {
      for (const UnreadableCases& cases : check_.unreadable) junit_.add(junit_test(cases));
    }
    if (!quiet_) {
      say(as_json_ ? json_.finish(counts, check_.unreadable)
                   : cat(shard_prefix(check_.shard), summary_text(counts, check_.unreadable)));
    }
    junit_.commit();
    report_unreadable(check_.unreadable);
    if (!check_.all_skipped || !check_.unreadable.empty()) return;
    throw Error(cat("no case that tensorop has", counts.skipped == 0 ? "" : ": ",
                    counts.skipped == 0 ? "" : skipped_text(counts)),
                "", lists_skipped_ ? "" : cat(kListSkipped, " lists them with their reasons"));
  }

 private:
  void say(const std::string& text) {
    if (!text.empty()) progress_.hide_while([&] { print(text); });
  }

  const ReadyCheck& check_;
  JUnitOutput& junit_;
  Progress& progress_;
  bool is_alone_;
  bool quiet_;
  bool as_json_;
  bool lists_skipped_;
  CheckJson json_;
  std::optional<Failure> failure_;
};

int run_check(const Arguments& arguments) {
  std::optional<ReadyCheck> ready;
  together(arguments, [&] { ready.emplace(read_check(arguments)); });
  require_same_jobs(arguments, ready->jobs);
  if (arguments.has("--list")) {
    alone(arguments, [&] {
      list_cases(arguments, ready->jobs);
      report_unreadable(ready->unreadable);
    });
    return ready->unreadable.empty() ? 0 : kError;
  }
  Progress progress(read_progress(arguments));
  BatchSettings& batch = ready->settings.batch;
  batch.progress = [&](std::int64_t done, std::int64_t total) { progress.set(done, total); };
  if (arguments.has(kExplainPlan)) {
    batch.explain = [&](const Job& job, const AccessReport& report) {
      const std::string lines = plan_lines(job.location(), report);
      progress.hide_while([&] { std::fputs(lines.c_str(), stderr); });
    };
  }
  CheckOutput output(arguments, *ready, *ready->junit, progress);
  const CheckCounts counts =
      check_cases(std::move(ready->jobs), ready->settings,
                  [&](const Job& job, const CaseResult& result) { output.add(job, result); });
  progress.end();
  alone(arguments, [&] { output.finish(counts); });
  return ready->unreadable.empty() ? exit_status(counts) : kError;
}

}  // namespace

Command check_command() {
  return {
      "check",
      {"check CASE... [OPTION]..."},
      "Runs the cases of job files, of folders and of ONNX case folders, and compares each result with the "
      "expected one",
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
