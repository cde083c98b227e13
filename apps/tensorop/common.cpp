// What the commands share: global options, help, standard output.
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
#include "io/npz/npz.hpp"
#include "report/access_report.hpp"
#include "report/describe.hpp"
#include "report/json.hpp"
#include "team.hpp"

namespace tensorop {

std::vector<Option> global_options() {
  return {
      {"--threads", OptionKind::value, "N", "threads to use; default: the cores this process may use"},
      {"--memory", OptionKind::value, "SIZE",
       "bytes for buffers and windows, with K, M or G: powers of 1024; default: TENSOROP_MEMORY, else half "
       "of "
       "what is free"},
      {"--progress", OptionKind::value, "auto|always|never",
       "a progress bar on standard error; auto (default): on a terminal, after one second"},
      {"--quiet", OptionKind::flag, "",
       "no warnings and no summary; -qq: no report of differences either, only the exit status", "-q"},
      {"--help", OptionKind::flag, "", "print help", "-h"},
      {"--version", OptionKind::flag, "", "print the version"},
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
  return {
      {"--rtol", OptionKind::value, "R", "an element passes when |a-e| <= atol + rtol*|e|; default 0"},
      {"--atol", OptionKind::value, "A", "see --rtol; default 0"},
      {"--max-ulp", OptionKind::value, "N", "an element also passes when the values differ by at most N ULP"},
      {"--tolerance", OptionKind::value, "auto", "auto: default rtol and atol for the dtype, unless given"},
      {"--max-mismatch", OptionKind::value, "N|N%",
       "at most N elements, or N percent, may differ; default 0"},
      {"--nan-unequal", OptionKind::flag, "", "NaN is not equal to NaN"},
      {"--exact-bits", OptionKind::flag, "",
       "elements are equal bit for bit: -0.0 is not 0.0, nor NaN another NaN"},
  };
}

Option ignore_option() {
  return {"--ignore", OptionKind::value, "MASK",
          "leave out the elements at which MASK, a bool tensor of the same shape, is true (see --open-mask)"};
}

std::vector<ToleranceText> read_tolerance_texts(const Arguments& arguments) {
  std::vector<ToleranceText> given;
  for (const std::string& name : tolerance_names()) {
    std::string option = "--" + name;
    for (char& c : option) c = c == '_' ? '-' : c;
    if (const auto text = arguments.value(option)) {
      given.push_back({name, name == "nan_unequal" || name == "exact_bits" ? "true" : *text, true});
    }
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
  if (settings_.warn) {
    settings_.warn = [this, warn = settings_.warn](const std::string& line) {
      progress_.hide_while([&] { warn(line); });
    };
  }
  if (settings_.explain) {
    settings_.explain = [this, explain = settings_.explain](const AccessReport& report) {
      progress_.hide_while([&] { explain(report); });
    };
  }
  if (settings_.explain_ranks) {
    settings_.explain_ranks = [this, explain = settings_.explain_ranks](std::span<const RankCost> costs) {
      progress_.hide_while([&] { explain(costs); });
    };
  }
}

std::vector<Option> output_options() {
  return {
      {"--output", OptionKind::value, "FILE", "file for the result; default: - (standard output)", "-o"},
      {"--format", OptionKind::value, join(format_names(), "|"),
       "format of the result; default: by the extension of FILE, else json"},
      {"--fsync", OptionKind::flag, "", "write the result to the disk before the command ends"},
  };
}

Option input_option() {
  return {"--input-format", OptionKind::value, join(text_format_names(), "|"),
          "format of text that is neither a JSON list nor an object; auto (default): by the file extension, "
          "else by "
          "content"};
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

namespace {

std::string option_line(const Option& option) {
  std::string left = option.letter.empty() ? "" : option.letter + ", ";
  left += option.name;
  if (!option.value_name.empty())
    left += cat(option.kind == OptionKind::value_flag ? "=" : " ", option.value_name);
  constexpr std::size_t kColumn = 30;
  std::string line = "  " + left;
  if (line.size() + 2 > kColumn) {
    line += '\n';
    line.append(kColumn, ' ');
  } else {
    line.append(kColumn - line.size(), ' ');
  }
  return line + option.help + '\n';
}

std::string name_line(std::string_view name, std::string_view summary) {
  constexpr std::size_t kColumn = 20;
  std::string line = cat("  ", name);
  line.append(kColumn - std::min(kColumn - 1, line.size()), ' ');
  return cat(line, summary, '\n');
}

}  // namespace

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const Operator* op : kOperators) commands.push_back(operator_command({op, op->names.data()}));
  for (const CommandEntry& entry : kCommands) commands.push_back(entry.describe());
  return commands;
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> options = command.options;
  for (Option& option : global_options()) {
    if (std::ranges::find(command.options, option.name, &Option::name) == command.options.end())
      options.push_back(std::move(option));
  }
  return options;
}

void print_help(const Command& command) {
  std::string text;
  for (const std::string& example : command.examples) text += cat("  ", example, '\n');
  text += cat("\n", command.summary, ".\n\n");
  std::string_view lead = "Usage: tensorop ";
  for (const std::string& usage : command.usages) {
    text += cat(lead, usage, '\n');
    lead = "       tensorop ";
  }
  text += '\n';
  for (const Option& option : all_options(command)) text += option_line(option);
  if (const Operator* op = find_operator(command.name).op; op != nullptr) {
    std::vector<std::string> ids;
    for (const Rule* rule : rules_of(*op)) ids.emplace_back(rule->id);
    constexpr std::size_t kWidth = 96;
    text += cat('\n', wrapped(op->meaning, kWidth), "\n\n", wrapped(describe_output_shape(*op), kWidth),
                "\n\n", wrapped(cat("Rules (see tensorop explain RULE): ", join(ids)), kWidth),
                "\nVersions and dtypes: tensorop ops ", op->name, "\n");
  }
  print(text);
}

void print_program_help() {
  std::string text =
      cat("  tensorop gathernd --data a.npy --indices i.npy -o out.npy\n"
          "  tensorop gather '[[1,2],[3,4]]' '[1]' --axis 1\n"
          "  tensorop compare out.npy golden.npy --tolerance auto\n"
          "  tensorop scatternd --help\n"
          "\n",
          kProgramSummary,
          ".\n"
          "\n"
          "Usage: tensorop OPERATOR OPERAND... [OPTION]... [-o FILE]\n"
          "       tensorop COMMAND ...\n"
          "\n"
          "Operators:\n");
  for (const Operator* op : kOperators) text += name_line(op->name, op->summary);
  text += "\nCommands:\n";
  for (const CommandEntry& entry : kCommands) text += name_line(entry.name, entry.describe().summary);
  text += "\nOptions:\n";
  for (const Option& option : global_options()) text += option_line(option);
  print(text);
}

int print_version() {
  print(cat("tensorop " TENSOROP_VERSION " (", compression_library(), ", ", parser_library(), ", ",
            json_library(), ")\n"));
  return 0;
}

}  // namespace tensorop
