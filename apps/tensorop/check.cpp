// `check`: golden files.
#include <fnmatch.h>

#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "golden/check.hpp"
#include "jobs/cases.hpp"
#include "progress.hpp"
#include "report/check_report.hpp"

namespace tensorop {
namespace {

std::vector<Option> check_options() {
  std::vector<Option> options = {
      {"--filter", OptionKind::value, "TEXT",
       "only cases whose name holds TEXT, or is like it where it has * or ?"},
      {"--update", OptionKind::flag, "", "rewrite golden files that are missing or differ, and list them"},
      {"--junit", OptionKind::value, "FILE", "the report as JUnit XML too"},
      {"--quiet", OptionKind::flag, "", "no report, the exit status alone", "-q"},
  };
  for (Option& option : batch_options()) options.push_back(std::move(option));
  return options;
}

bool is_wanted(const std::string& name, const std::string& filter) {
  if (filter.find_first_of("*?") == std::string::npos) return name.find(filter) != std::string::npos;
  return ::fnmatch(filter.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

std::vector<Job> wanted_cases(const Arguments& arguments) {
  std::vector<Job> jobs = read_cases(arguments.operands);
  if (const auto filter = arguments.value("--filter")) {
    jobs = select_cases(jobs, [&](const std::string& name) { return is_wanted(name, *filter); });
    if (jobs.empty()) throw Error(cat("--filter ", printable(*filter), ": no case has such a name"));
  }
  if (jobs.empty()) throw Error("no cases");
  return jobs;
}

int run_check(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no file and no folder of cases given");
  CheckSettings settings{read_batch_settings(arguments), arguments.has("--update")};
  const std::vector<Job> jobs = wanted_cases(arguments);
  // What cannot be written is to be known before the work.
  std::optional<OutputFile> junit;
  if (const auto path = arguments.value("--junit")) junit.emplace(OutputFile::create(*path));

  Progress progress(read_progress(arguments));
  settings.batch.progress = [&](std::int64_t done, std::int64_t total) { progress.set(done, total); };
  const auto say = [&](const std::string& text) {
    if (!arguments.has("--quiet") && !text.empty()) progress.hide_while([&] { print(text); });
  };
  CheckReport report;
  check_cases(jobs, settings, [&](const Job& job, const CaseResult& result) {
    report.add(job, result);
    say(case_text(job, result));
  });
  progress.end();
  say(report.summary());
  if (junit) {
    const std::string text = report.junit();
    junit->append(std::as_bytes(std::span(text)));
    junit->commit();
  }
  return report.status();
}

}  // namespace

Command check_command() {
  return {"check",
          {"check CASE... [OPTION]..."},
          "Runs jobs, from files or all of a folder, and compares each result with the one it expects",
          {"tensorop check cases.jsonl", "tensorop check tests/golden --junit report.xml",
           "tensorop check tests/golden --filter 'resize*' --update"},
          check_options(),
          run_check};
}

}  // namespace tensorop
