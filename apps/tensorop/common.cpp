// What the commands share: global options, and the settings that they give.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/byte_size.hpp"
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "commands.hpp"
#include "describe/access_report.hpp"
#include "io/json/json_document.hpp"
#include "team.hpp"

namespace tensorop {

std::vector<Option> global_options() {
  return {
      {"--threads", OptionKind::value, "N", "threads to use; default: the cores this process may use"},
      {"--memory", OptionKind::value, "SIZE",
       "bytes for buffers and windows, with K, M or G: powers of 1024; default: TENSOROP_MEMORY, else half "
       "of what is free"},
      {"--progress", OptionKind::value, "auto|always|never",
       "a progress bar on standard error; auto (default): on a terminal, after one second"},
      {"--quiet", OptionKind::flag, "",
       "no warnings and no summary; -qq: no report of differences either, only the exit status", "-q"},
      {"--help", OptionKind::flag, "", "print help", "-h"},
      {"--version", OptionKind::flag, "", "print the version", "-V"},
  };
}

namespace {

// The value of an option that counts threads or jobs.
std::optional<int> read_count(const Arguments& arguments, std::string_view option) {
  const auto text = arguments.value(option);
  if (!text) return std::nullopt;
  const auto number = parse_int64(*text);
  if (!number || *number < 1) throw Error(cat(option, " ", in_quotes(*text), " is not a positive integer"));
  // The result does not depend on the number: more than this only costs.
  constexpr std::int64_t kMost = 1024;
  return static_cast<int>(std::min(*number, kMost));
}

// --memory, or the variable of the environment; 0 where neither is there.
std::int64_t read_memory(const Arguments& arguments) {
  const auto size_of = [](std::string_view name, std::string_view text) {
    if (const auto bytes = parse_byte_size(text)) return *bytes;
    throw Error(
        cat(name, " ", in_quotes(text), " is not a positive integer, with K, M or G or nothing after it"));
  };
  if (const auto text = arguments.value("--memory")) return size_of("--memory", *text);
  const char* const variable = std::getenv("TENSOROP_MEMORY");
  return variable == nullptr || *variable == '\0' ? 0 : size_of("TENSOROP_MEMORY", variable);
}

}  // namespace

ProgressMode read_progress(const Arguments& arguments) {
  const auto text = arguments.value("--progress");
  const std::string word = lower(text.value_or("auto"));
  if (word == "auto") return ProgressMode::automatic;
  if (word == "always") return ProgressMode::always;
  if (word == "never") return ProgressMode::never;
  throw Error(cat("--progress ", in_quotes(*text), " is not one of auto, always, never"));
}

std::vector<Option> tolerance_options() {
  std::vector<Option> options;
  for (const ToleranceKey& key : tolerance_keys()) {
    options.push_back({option_name(key.name), key.value_name.empty() ? OptionKind::flag : OptionKind::value,
                       std::string(key.value_name), std::string(key.option_help)});
  }
  return options;
}

Option ignore_option() {
  return {"--ignore", OptionKind::value, "MASK",
          "leave out the elements at which MASK, a bool tensor of the same shape, is true (see --open-mask)"};
}

std::vector<ToleranceText> read_tolerance_texts(const Arguments& arguments) {
  // Nothing is near where bits decide.
  arguments.refuse_beside("--exact-bits", {"--rtol", "--atol", "--max-ulp", "--tolerance"});
  std::vector<ToleranceText> given;
  for (const ToleranceKey& key : tolerance_keys()) {
    if (const auto text = arguments.value(option_name(key.name)))
      given.push_back({std::string(key.name), key.value_name.empty() ? "true" : *text, true});
  }
  return given;
}

std::vector<Option> batch_options() {
  return {
      {"--jobs", OptionKind::value, "N", "the most jobs to run concurrently; default: the number of threads"},
      explain_plan_option()};
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
  return {std::string(kExplainPlan), OptionKind::flag, "",
          "print on standard error how operands are read that memory may not hold, and why"};
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
    // What a user gives is that of each process.
    if (settings.memory == 0) settings.memory_sharers = team->processes_a_machine;
  }
  (void)read_progress(arguments);
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
      {"--output", OptionKind::value, "FILE", "file for the result; default: - (standard output)", "-o"},
      {"--format", OptionKind::value, join(format_names(), "|"),
       "format of the result; default: by the extension of FILE, else json, or as text on a terminal"},
      {"--fsync", OptionKind::flag, "", "write the result to the disk before the command ends"},
  };
}

Option input_option() {
  return {"--input-format", OptionKind::value, join(text_format_names(), "|"),
          "format of text that is neither a JSON list nor an object; auto (default): by the file extension, "
          "else by content"};
}

const Format* read_input_format(const Arguments& arguments) {
  const auto text = arguments.value("--input-format");
  if (!text) return nullptr;
  return with_context("--input-format", [&] { return read_text_format(*text); });
}

Destination read_destination(const Arguments& arguments) {
  Destination destination;
  const std::string path = arguments.value("--output").value_or("-");
  if (path.empty()) throw Error("--output needs a file name");
  destination.durable = arguments.has("--fsync");
  if (const auto text = arguments.value("--format")) {
    destination.format = find_format(*text);
    if (destination.format == nullptr) {
      throw Error(cat("--format ", in_quotes(*text), " is not one of ", join(format_names())));
    }
  }
  set_path(destination, path);
  return destination;
}

}  // namespace tensorop
