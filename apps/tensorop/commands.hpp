// The commands of the program, and the code that they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "base/text/error.hpp"
#include "engine/engine.hpp"
#include "jobs/batch.hpp"
#include "jobs/tolerances.hpp"
#include "ops/registry.hpp"
#include "progress.hpp"

namespace tensorop {

using Words = std::vector<std::string>;

// A command: its description for help, manual pages and completion, and the function that runs it.
struct Command {
  std::string name;
  std::vector<std::string> usages;  // the ways to call it, after "tensorop "
  std::string summary;              // sentences, the last without a full stop; the first fits in a line
  std::vector<std::string> examples;
  std::vector<Option> options;  // without global ones; an option of the same name replaces a global one
  // Returns the exit status. Throws Error for wrong usage and invalid input.
  std::function<int(const Arguments&)> run;
  const Operator* op = nullptr;  // the operator that it calls or describes; else null
};

[[nodiscard]] Command operator_command(const FoundOperator& found);

[[nodiscard]] Command check_command();
[[nodiscard]] Command compare_command();
[[nodiscard]] Command complete_command();
[[nodiscard]] Command completion_command();
[[nodiscard]] Command convert_command();
[[nodiscard]] Command explain_command();
[[nodiscard]] Command generate_command();
[[nodiscard]] Command help_command();
[[nodiscard]] Command info_command();
[[nodiscard]] Command lookup_command();
[[nodiscard]] Command man_command();
[[nodiscard]] Command nonzero_command();
[[nodiscard]] Command ops_command();
[[nodiscard]] Command run_command();
[[nodiscard]] Command version_command();
[[nodiscard]] Command why_command();

// Returns the command `why` for an operator.
[[nodiscard]] Command why_command(const FoundOperator& found);
inline constexpr std::string_view kWhy = "why";

// Returns the options of an operator's call, except those for its result, and the request that they make.
[[nodiscard]] std::vector<Option> call_options(const FoundOperator& found);
[[nodiscard]] Request read_request(const FoundOperator& found, const Arguments& arguments);

// The global options that a command has besides --help and --version.
enum class Globals : std::uint8_t { all, without_progress, none };

struct CommandEntry {
  std::string_view name;
  Command (*describe)();
  Globals globals = Globals::all;
  bool by_team = false;   // every process of a team takes part; otherwise only the first runs it
  bool reports = false;   // it calls require_options() itself, so that its report has the error
  bool is_listed = true;  // false: it is for programs
};
// In the order in which users need them.
inline constexpr CommandEntry kCommands[] = {
    {"convert", convert_command},
    {"info", info_command},
    {.name = "compare", .describe = compare_command, .reports = true},
    {.name = "check", .describe = check_command, .by_team = true, .reports = true},
    {.name = "run", .describe = run_command, .by_team = true, .reports = true},
    {kWhy, why_command, Globals::without_progress},
    {"generate", generate_command, Globals::none},
    {"lookup", lookup_command},
    {"nonzero", nonzero_command},
    {"explain", explain_command, Globals::none},
    {"ops", ops_command, Globals::none},
    {"help", help_command, Globals::none},
    {"man", man_command, Globals::none},
    {"completion", completion_command, Globals::none},
    {"version", version_command, Globals::none},
    {.name = "complete", .describe = complete_command, .globals = Globals::none, .is_listed = false},
};

// Returns the names of all listed commands and of operators.
[[nodiscard]] std::vector<std::string> command_names();
// Returns the command with this name; finds operators by any spelling of their names, also the publisher's.
[[nodiscard]] std::optional<Command> find_command(std::string_view name, std::string_view spec = {});
// Like find_command(), but throws Error that suggests other meanings of the name.
[[nodiscard]] Command require_command(std::string_view name, std::string_view spec = {});
// Returns all listed commands, operators first.
[[nodiscard]] std::vector<Command> all_commands();

// Returns the position of the command in a command line: global options may precede it.
[[nodiscard]] std::size_t command_position(const Words& words);
// Returns the text of --spec, which decides the meaning of operators' names; empty: none.
[[nodiscard]] std::string_view spec_of(const Words& words);

// Returns the options of several lists, one after the other.
[[nodiscard]] std::vector<Option> joined(std::initializer_list<std::vector<Option>> lists);

// Returns the options of a command and the global ones.
[[nodiscard]] std::vector<Option> all_options(const Command& command);

// Returns the global options; read_settings() returns the settings that they give.
[[nodiscard]] std::vector<Option> global_options();
// Throws Error for options that Arguments::require_rows() refuses, and for a wrong environment variable. Call
// it before the functions that read options.
void require_options(const Arguments& arguments);
[[nodiscard]] Settings read_settings(const Arguments& arguments);
// Also stores the texts of warnings in `kept`.
void keep_warnings(Settings& settings, std::vector<std::string>& kept);
// Calls `body`, which with --json prints a document at its end. If it throws, prints a document with the
// error instead.
int with_json_error(const Arguments& arguments, const std::function<int()>& body);
// Settings for one operation on tensors: a bar shows the bytes of its work until end() or the destructor.
class MeteredSettings {
 public:
  // `output`: the destination of the result, "" for none. A result on a terminal is not mixed with a bar.
  MeteredSettings(const Arguments& arguments, const std::string& output);
  [[nodiscard]] const Settings& get() const { return settings_; }
  MeteredSettings(const MeteredSettings&) = delete;
  MeteredSettings& operator=(const MeteredSettings&) = delete;

  // Removes the bar.
  void end() { progress_.end(); }

 private:
  Meter meter_;
  Progress progress_;
  Settings settings_;
};
// Returns --json, which several commands have.
[[nodiscard]] Option json_option(std::string help);
// Returns --fsync, for commands that write results.
[[nodiscard]] Option fsync_option(std::string help);
// Returns --input-format, and its value: null for auto.
[[nodiscard]] Option input_option();
[[nodiscard]] const Format* read_input_format(const Arguments& arguments);
// Returns --output, --format and --fsync, and the destination that they give.
[[nodiscard]] std::vector<Option> output_options();
[[nodiscard]] Destination read_destination(const Arguments& arguments);

[[nodiscard]] ProgressMode read_progress(const Arguments& arguments);
// Returns --rtol and all other tolerance options, and the texts that are given.
[[nodiscard]] std::vector<Option> tolerance_options();
[[nodiscard]] std::vector<ToleranceText> read_tolerance_texts(const Arguments& arguments);
// Returns --jobs and other options of a batch of jobs, and its settings.
[[nodiscard]] std::vector<Option> batch_options();
[[nodiscard]] BatchSettings read_batch_settings(const Arguments& arguments);

// Returns --explain-plan, and the lines that it prints for a call; `location` is a job's location, or empty.
inline constexpr std::string_view kExplainPlan = "--explain-plan";
[[nodiscard]] Option explain_plan_option();
[[nodiscard]] std::string plan_lines(const std::string& location, const AccessReport& report);

// Returns --onnx-case DIR for operators and run.
inline constexpr std::string_view kCase = "--onnx-case";
[[nodiscard]] Option case_option(std::string help);

// Returns --rename-regex FROM=TO, for names of `things`.
[[nodiscard]] Option rename_option(std::string_view things);

// Returns --ignore MASK.
[[nodiscard]] Option ignore_option();

// Writes the lines of an error to standard error.
void report_error(const Failure& error);

// Returns the sentence that lists and remarks show.
[[nodiscard]] std::string_view first_sentence(std::string_view summary);

// The options of a command under headings, in the order of help; under a heading in their given order.
struct OptionGroup {
  Heading heading;
  std::vector<Option> options;
};
[[nodiscard]] std::vector<OptionGroup> option_groups(const Command& command);

[[nodiscard]] std::string help_text(const Command& command);
void print_program_help();
int print_version();

// The purpose of the program, in one sentence without its point.
[[nodiscard]] std::string program_summary();

}  // namespace tensorop
