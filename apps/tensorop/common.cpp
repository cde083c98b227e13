// Code that the commands share: global options, and the settings that they give.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/process/threads.hpp"
#include "base/system/system.hpp"
#include "base/text/byte_size.hpp"
#include "base/text/error.hpp"
#include "base/text/json.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "convert/convert_input.hpp"
#include "describe/access_report.hpp"
#include "io/array_id.hpp"
#include "team.hpp"

namespace tensorop {

std::vector<Option> global_options() {
  constexpr Heading kHeading = Heading::globals;
  return {
      {"--threads", kHeading, "N", "threads to use; default: the cores this process may use",
       OptionRules{.kind = OptionKind::integer}},
      {"--memory", kHeading, "SIZE",
       "bytes for buffers, with K, M or G: powers of 1024; default: TENSOROP_MEMORY, else "
       "half of what is free",
       OptionRules{.kind = OptionKind::bytes}},
      {"--progress", kHeading, "auto|always|never",
       "a progress bar on standard error; auto: on a terminal, after one second",
       OptionRules{.kind = OptionKind::choice, .by_default = "auto"}},
      {"--quiet", kHeading, "",
       "no warnings and no summary; -qq: no report of differences either, only the exit status",
       OptionRules{.letter = "-q"}},
      {"--help", kHeading, "", "print help", OptionRules{.letter = "-h"}},
      {"--version", kHeading, "", "print the version", OptionRules{.letter = "-V"}},
  };
}

namespace {

// Returns the value of an option that counts threads or jobs, at most 1024: the result does not depend on the
// number, and more are only slower.
std::optional<int> read_count(const Arguments& arguments, std::string_view option) {
  constexpr std::int64_t kMost = 1024;
  const auto number = arguments.integer(option);
  return number ? std::optional(static_cast<int>(std::min(*number, kMost))) : std::nullopt;
}

constexpr std::string_view kMemoryVariable = "TENSOROP_MEMORY";

// Returns the variable of the environment, or an empty text.
std::string memory_variable() {
  const char* const text = std::getenv(kMemoryVariable.data());
  return text == nullptr ? "" : text;
}

// Returns --memory, or the variable of the environment, or 0.
std::int64_t read_memory(const Arguments& arguments) {
  return parse_byte_size(arguments.value("--memory").value_or(memory_variable())).value_or(0);
}

}  // namespace

void require_options(const Arguments& arguments) {
  arguments.require_rows();
  const std::string memory = memory_variable();
  const bool is_used = find_option(arguments.rows, "--memory") != nullptr && !arguments.has("--memory");
  if (is_used && !memory.empty())
    require_value(
        {std::string(kMemoryVariable), Heading::globals, "SIZE", "", OptionRules{.kind = OptionKind::bytes}},
        memory);
}

ProgressMode read_progress(const Arguments& arguments) {
  const std::string word = arguments.value_or_default("--progress").value_or("never");
  if (word == "auto") return ProgressMode::automatic;
  return word == "always" ? ProgressMode::always : ProgressMode::never;
}

std::vector<Option> tolerance_options() {
  std::vector<Option> options;
  for (const ToleranceKey& key : tolerance_keys()) {
    options.push_back({option_name(key.name), Heading::equality, std::string(key.value_name),
                       std::string(key.help), OptionRules{.decides = true}});
  }
  // --exact-bits allows no tolerance.
  std::ranges::find(options, "--exact-bits", &Option::name)->rules.excludes =
      "--rtol --atol --max-ulp --tolerance";
  return options;
}

Option ignore_option() {
  return {"--ignore", Heading::equality, "MASK",
          "leave out the elements at which MASK, a bool tensor of the same shape, is true (see --open-mask)",
          OptionRules{.decides = true}};
}

Option rename_option(std::string_view things) {
  return {"--rename-regex", Heading::reading, "FROM=TO",
          cat("in names of ", things,
              " every match of the POSIX extended regular expression FROM becomes TO, where \\1 is its first "
              "group; applied in their order"),
          OptionRules{.repeats = true}};
}

std::vector<ToleranceText> read_tolerance_texts(const Arguments& arguments) {
  std::vector<ToleranceText> given;
  for (const ToleranceKey& key : tolerance_keys()) {
    if (const auto text = arguments.value(option_name(key.name)))
      given.push_back({std::string(key.name), key.value_name.empty() ? "true" : *text, true});
  }
  return given;
}

std::vector<Option> batch_options() {
  return {{"--jobs", Heading::running, "N",
           "the most jobs to run concurrently; default: the number of threads",
           OptionRules{.kind = OptionKind::integer}}};
}

BatchSettings read_batch_settings(const Arguments& arguments) {
  BatchSettings settings;
  const Settings own = read_settings(arguments);
  settings.threads = own.threads;
  settings.memory = own.memory_sharers == 1 ? own.memory : memory_of(own);
  settings.concurrent_jobs = read_count(arguments, "--jobs").value_or(settings.threads.count());
  return settings;
}

Option explain_plan_option() {
  return {std::string(kExplainPlan), Heading::running, "",
          "print on standard error how operands are read that memory may not hold, and why",
          OptionRules{.excludes = "--dry-run",
                      .hint = "the plan depends on elements, and --dry-run reads only headers"}};
}

std::string plan_lines(const std::string& location, const AccessReport& report) {
  std::string out;
  for (const std::string& line : access_lines(report)) {
    out += cat("tensorop: plan: ", location, location.empty() ? "" : ": ", line, "\n");
  }
  return out;
}

void keep_warnings(Settings& settings, std::vector<std::string>& kept) {
  if (!settings.warn) return;
  settings.warn = [&kept, warn = settings.warn](const std::string& line) {
    kept.push_back(line);
    warn(line);
  };
}

int with_json_error(const Arguments& arguments, const std::function<int()>& body) {
  try {
    return body();
  } catch (const Failure& error) {
    if (arguments.has("--json")) print(Json::document().add_end(&error).line());
    throw;
  }
}

Settings read_settings(const Arguments& arguments) {
  Settings settings;
  const Team* const team = arguments.team;
  const int threads = team == nullptr ? available_cores() : team->threads;
  settings.threads = Threads(read_count(arguments, "--threads").value_or(threads));
  settings.memory = read_memory(arguments);
  if (team != nullptr) {
    settings.executor = &team->executor;
    // The value that a user gives applies to each process.
    if (settings.memory == 0) settings.memory_sharers = team->processes_a_machine;
  }
  if (!arguments.has("--quiet")) {
    settings.warn = [](const std::string& line) {
      std::fprintf(stderr, "tensorop: warning: %s\n", line.c_str());
    };
  }
  if (arguments.has(kExplainPlan)) {
    settings.explain = [](const AccessReport& report) { std::fputs(plan_lines("", report).c_str(), stderr); };
    settings.explain_ranks = [](std::span<const RankCost> costs) {
      for (const std::string& line : rank_lines(costs))
        std::fputs(cat("tensorop: plan: ", line, "\n").c_str(), stderr);
    };
  }
  return settings;
}

namespace {

ProgressMode mode_beside(const std::string& output, const Arguments& arguments) {
  const ProgressMode mode = read_progress(arguments);
  const bool shows_result = output == "-" && os().isatty(STDOUT_FILENO);
  return mode == ProgressMode::automatic && shows_result ? ProgressMode::never : mode;
}

}  // namespace

MeteredSettings::MeteredSettings(const Arguments& arguments, const std::string& output)
    : progress_(mode_beside(output, arguments), &meter_), settings_(read_settings(arguments)) {
  settings_.threads = Threads(settings_.threads.count(), &meter_);
  const auto hide_bar = [this](auto& say) {
    if (!say) return;
    say = [this, say](const auto& what) { progress_.hide_while([&] { say(what); }); };
  };
  hide_bar(settings_.warn);
  hide_bar(settings_.explain);
  hide_bar(settings_.explain_ranks);
}

std::vector<Option> output_options() {
  return {
      {"--output", Heading::result, "FILE", "file for the result; default: - (standard output)",
       OptionRules{.letter = "-o", .kind = OptionKind::path}},
      {"--format", Heading::result, join(format_names(), "|"),
       "format of the result; default: by the extension of FILE, else json, or as text on a terminal",
       OptionRules{.kind = OptionKind::choice}},
      {"--add", Heading::result, "",
       "-o FILE:NAME may add an array to an archive that the call reads; without it the array must be there"},
      fsync_option("write the result to the disk before the command ends"),
  };
}

Option json_option(std::string help) {
  return {"--json", Heading::report, "", std::move(help)};
}

Option case_option(std::string help) {
  return {std::string(kCase), Heading::result, "DIR", std::move(help),
          OptionRules{.kind = OptionKind::path, .excludes = "--dry-run --missing"}};
}

Option fsync_option(std::string help) {
  return {"--fsync", Heading::result, "", std::move(help)};
}

Option input_option() {
  return {"--input-format", Heading::reading, join(text_format_names(), "|"),
          "format of text that is neither a JSON list nor an object; auto: by the file extension, else "
          "by content",
          OptionRules{.kind = OptionKind::choice, .by_default = "auto"}};
}

const Format* read_input_format(const Arguments& arguments) {
  const auto text = arguments.value("--input-format");
  return text ? read_text_format(*text) : nullptr;
}

namespace {

// Whether an operand or an option names the file, or an array of it.
bool reads_file(const Arguments& arguments, const std::string& path) {
  const auto id = file_id(path);
  if (!id) return false;
  ArrayIds arrays;
  const auto is_it = [&](const Operand& operand) {
    return operand.is_path() && file_id(arrays.file_of(operand)) == id;
  };
  const auto is_in = [&](const std::string& text) {
    const auto named = split_name(text);
    return is_it(text) || (named && is_it(named->given));
  };
  if (std::ranges::any_of(arguments.operands, is_in)) return true;
  return std::ranges::any_of(arguments.options, [&](const auto& option) {
    return option.first != "--output" && std::ranges::any_of(option.second, is_in);
  });
}

}  // namespace

Destination read_destination(const Arguments& arguments) {
  Destination destination;
  destination.durable = arguments.has("--fsync");
  if (const auto text = arguments.value("--format")) destination.format = find_format(*text);
  set_path(destination, Operand::of_file(arguments.value("--output").value_or("-")));
  const bool adds = arguments.has("--add");
  if (adds && !destination.is_member) throw Error("--add is only for -o FILE:NAME");
  if (!destination.is_member) return destination;
  destination.replaces_only = !adds && reads_file(arguments, destination.path);
  if (!arguments.has("--quiet"))
    destination.said = [](const std::string& line) { std::fprintf(stderr, "tensorop: %s\n", line.c_str()); };
  return destination;
}

}  // namespace tensorop
