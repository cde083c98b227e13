#include "report_options.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "jobs/call_text.hpp"
#include "jobs/cases.hpp"
#include "jobs/jobs.hpp"
#include "team.hpp"

namespace tensorop {

std::string repeated_options(const Arguments& arguments) {
  std::vector<std::string> words;
  for (const Option& option : arguments.rows) {
    const auto value = arguments.value(option.name);
    if (!option.rules.decides || !value) continue;
    words.push_back(option.name);
    if (!value->empty()) words.push_back(shell_word(*value));
  }
  return join(words, " ");
}

namespace {

// Throws Error for options that exclude each other by their values.
ReportSettings read_report_settings(const Arguments& arguments) {
  ReportSettings out;
  out.is_in_team = arguments.team != nullptr;
  out.is_heard = arguments.team == nullptr || arguments.team->is_first;
  if (arguments.has("--list")) {  // no option of a report is allowed with it
    out.loudness = Loudness::quiet;
    return out;
  }
  // A report must not be written to a wrong file.
  const auto file_of = [&](std::string_view option) {
    const auto path = arguments.value(option);
    if (path) require_value(*find_option(arguments.rows, option), *path);
    return path.value_or("");
  };
  out.json = arguments.has("--json");
  for (const ReportRow& row : report_rows()) {
    if (std::string path = file_of(row.option); !path.empty()) out.files.emplace_back(&row, std::move(path));
  }
  out.loudness = read_loudness(arguments);
  out.options = repeated_options(arguments);
  out.lists_skipped = arguments.has(kListSkipped);
  out.shrinks = arguments.has("--shrink");
  out.table = arguments.value(kTable).value_or("");
  if (arguments.has("--why")) {
    out.why = read_settings(arguments);
  } else if (!out.files.empty()) {
    out.page_why = read_settings(arguments);
  }
  PathKeys keys;
  for (const auto& [row, file] : out.files) {
    for (const auto& [other, same] : out.files) {
      if (row < other && keys.key_of(file) == keys.key_of(same))
        throw Error(cat(row->option, " and ", other->option, " name the same file"));
    }
    if (file == "-" && out.json)
      throw Error(cat(row->option, " - cannot be combined with --json: both are for standard output"));
  }
  return out;
}

}  // namespace

int report_on(const Arguments& arguments, const ReportKind& kind,
              const std::function<void(Reporter& reporter, std::optional<Progress>& progress)>& work) {
  const Words& operands = arguments.operands;
  Finding whole{.suite = cat("tensorop ", kind.command), .name = join(operands, " ")};
  if (operands.size() == 1) whole.place.file = operands[0];
  if (!kind.is_of_jobs) {
    const auto operand = [&](std::size_t i) { return i < operands.size() ? operands[i] : std::string(); };
    whole = {.suite = operand(1), .name = operand(0), .actual = operand(0), .expected = operand(1)};
    whole.place.file = operand(1);
  }
  std::optional<Progress> progress;  // outlives the reporter, which hides it
  std::optional<Reporter> reporter;
  together(arguments, [&] { reporter.emplace(read_report_settings(arguments), kind, std::move(whole)); });
  const auto checked_work = [&] {
    together(arguments, [&] { require_options(arguments); });
    work(*reporter, progress);
  };
  return reporter->conduct(checked_work,
                           [&](const std::function<void()>& complete) { alone(arguments, complete); });
}

std::vector<Option> report_options(const ReportKind& kind) {
  const std::string things = cat(kind.noun, "s");
  static const std::string not_listed =
      cat("--json --quiet --fail-fast --show --update --map --histogram --why ",
          join(report_rows(), " ", [](const ReportRow& row) { return row.option; }));
  std::vector<Option> own = {
      {"--list", Heading::selection, "", cat("print the names of the ", things, " and do no more"),
       OptionRules{.excludes = not_listed}},
      {"--fail-fast", Heading::running, "", "stop after the first failure"},
      json_option("print the report as JSON, for programs"),
  };
  for (const ReportRow& row : report_rows()) {
    if (row.compares_only && !kind.compares) continue;
    own.push_back({std::string(row.option), Heading::report, "FILE", std::string(row.help),
                   OptionRules{.kind = row.is_printable ? OptionKind::path : OptionKind::file}});
  }
  return joined({filter_options(things), own});
}

std::vector<Option> picture_options() {
  return {
      {"--map", Heading::report, "", "draw where elements differ: a map of at most 24 lines"},
      {"--histogram", Heading::report, "",
       "print metrics, quantiles and histograms of the errors: absolute, relative and in ulp"},
  };
}

PictureOptions read_picture_options(const Arguments& arguments) {
  return {arguments.has("--map"), arguments.has("--histogram"), arguments.has("--html"),
          arguments.has(kTable)};
}

Option show_option() {
  return {"--show", Heading::report, "N",
          "list the first N and the worst N of the elements that differ; default: one of each",
          OptionRules{.kind = OptionKind::integer, .most = 100'000}};
}

Loudness read_loudness(const Arguments& arguments) {
  const auto times = arguments.value("--quiet");
  if (!times || times->empty()) return times ? Loudness::quiet : Loudness::all;
  for (const char* option : {"--json", "--show", "--map", "--histogram", "--why", "--table"}) {
    if (arguments.has(option)) throw Error(cat(option, " cannot be combined with -qq, which prints nothing"));
  }
  return Loudness::silent;
}

std::int64_t read_show(const Arguments& arguments) {
  return arguments.integer("--show").value_or(0);
}

void filter_jobs(const Filter& filter, const ReportKind& kind, std::vector<Job>& jobs, bool are_all) {
  if (!filter.is_given()) return;
  std::vector<std::string> names;
  for (const Job& job : jobs) {
    if (job.is_case || !kind.compares) names.push_back(job.name);
  }
  const Filter::Test wanted = are_all ? filter.only_among(names) : filter.among(names);
  jobs = kind.compares
             ? select_cases(jobs, wanted)
             : kept_jobs(jobs, jobs_with_needs(jobs, [&](const Job& job) { return wanted(job.name); }));
}

void take_shard(const std::optional<Shard>& shard, Reporter& reporter, std::vector<Job>& jobs) {
  if (!shard) return;
  reporter.set_shard(*shard);
  jobs = select_shard(jobs, *shard);
}

Option shard_option() {
  return {"--shard", Heading::selection, "I/N", "run part I of N parts, from 1",
          OptionRules{.kind = OptionKind::shard}};
}

std::optional<Shard> read_shard(const Arguments& arguments) {
  const auto text = arguments.value("--shard");
  return text ? parse_shard(*text) : std::nullopt;
}

void list_jobs(const Arguments& arguments, const ReportKind& kind, const std::vector<Job>& jobs) {
  std::string names;
  for (const Job& job : jobs) {
    if ((kind.compares && !job.is_case) || (job.skipped && !arguments.has(kListSkipped))) continue;
    const std::string reason = job.skipped ? cat(": skipped: ", job.skipped->reason) : "";
    names += cat(printable(job.name), reason, "\n");
  }
  print(names);
}

void visit_reads(const Job& job, const VisitFile& visit) {
  for (const JobFile& file : job.reads) {
    visit(file.given, file.use == JobFile::Use::operand  ? "an operand"
                      : file.use == JobFile::Use::golden ? "a golden file"
                                                         : "a result to compare");
  }
}

std::string input_at(const std::string& report,
                     const std::function<void(const VisitFile& visit)>& visit_all) {
  PathKeys keys;
  const std::string key = keys.key_of(report);
  const std::vector<std::string> folders = keys.folders_of(report);
  std::string found;
  visit_all([&](const Operand& visited, std::string_view what) {
    if (!found.empty()) return;
    if (visited.path.ends_with('/')) {
      if (std::ranges::count(folders, keys.key_of_folder(visited.path)) != 0) found = what;
      return;
    }
    auto files = possible_files(visited);
    if (visited.is_standard_input()) files.push_back({"/dev/stdin"});
    for (const auto& [file, name] : files) {
      std::error_code none;  // a hard link is the same file, too
      if (keys.key_of(file) == key || std::filesystem::equivalent(file, report, none)) found = what;
      // The shards of an index are in its folder.
      const bool is_index = file.ends_with(".json") && report.ends_with(".safetensors");
      if (is_index && keys.folders_of(file).front() == folders.front()) found = what;
    }
  });
  return found;
}

void keep_files(Reporter& reporter, const std::function<void(const VisitFile& visit)>& visit_all) {
  reporter.require_no_input([&](const std::string& report) { return input_at(report, visit_all); });
}

void show_progress(const Arguments& arguments, Reporter& reporter, std::optional<Progress>& progress) {
  progress.emplace(read_progress(arguments));
  reporter.write_with([&progress](const std::function<void()>& write, bool is_last) {
    if (is_last) progress->end();
    progress->hide_while(write);
  });
}

void show_batch(const Arguments& arguments, Reporter& reporter, std::optional<Progress>& progress,
                BatchSettings& batch) {
  show_progress(arguments, reporter, progress);
  batch.progress = [&progress](std::int64_t done, std::int64_t total) { progress->set(done, total); };
  batch.interruption = &reporter.interruption();
  if (!arguments.has(kExplainPlan)) return;
  batch.explain = [&](const Job& job, const AccessReport& report) {
    const std::string lines = plan_lines(job.location(), report);
    progress->hide_while([&] { std::fputs(lines.c_str(), stderr); });
  };
}

}  // namespace tensorop
