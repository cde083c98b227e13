// The commands of the program, and what they share.
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
#include "base/error.hpp"
#include "engine/engine.hpp"
#include "jobs/batch.hpp"
#include "jobs/tolerances.hpp"
#include "ops/registry.hpp"
#include "progress.hpp"

namespace tensorop {

using Words = std::vector<std::string>;

// A command: its description, for help, manual pages and completion, and the function that runs it.
struct Command {
  std::string name;
  std::vector<std::string> usages;  // the ways to call it, after "tensorop "
  std::string summary;  // sentences, the last one without a full stop; the first one fits in a line
  std::vector<std::string> examples;
  std::vector<Option> options;  // without the global ones; an option of the same name replaces a global one
  // Returns the exit status. Throws Error for wrong usage and invalid input.
  std::function<int(const Arguments&)> run;
  const Operator* op = nullptr;  // that it calls, or tells of; else null
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

// `why` of an operator.
[[nodiscard]] Command why_command(const FoundOperator& found);
inline constexpr std::string_view kWhy = "why";

// What a call of an operator consists of, without what becomes of its result, and the request it makes.
[[nodiscard]] std::vector<Option> call_options(const FoundOperator& found);
[[nodiscard]] Request read_request(const FoundOperator& found, const Arguments& arguments);

// Which of the global options a command uses, beside --help and --version.
enum class Globals : std::uint8_t { all, without_progress, none };

struct CommandEntry {
  std::string_view name;
  Command (*describe)();
  Globals globals = Globals::all;
  bool by_team = false;   // every process of a team takes part; else the first one alone runs it
  bool reports = false;   // it calls require_options() itself, so that its report has the error
  bool is_listed = true;  // or else it is for programs
};
// In the order of a day's work.
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

// The names of all listed commands and of operators.
[[nodiscard]] std::vector<std::string> command_names();
// The command of that name; an operator in any spelling of any of its names, also of those of the publisher.
[[nodiscard]] std::optional<Command> find_command(std::string_view name,
                                                  Framework publisher = Framework::standard);
// The same. Throws Error that says what else the name may be meant to be.
[[nodiscard]] Command require_command(std::string_view name, Framework publisher = Framework::standard);
// All listed commands, operators first.
[[nodiscard]] std::vector<Command> all_commands();

// The position of the command in a command line: global options may come before it.
[[nodiscard]] std::size_t command_position(const Words& words);
// The publisher of --spec in a command line; standard: none. It decides what the names of operators mean.
[[nodiscard]] Framework publisher_of(const Words& words);

// The options of several lists, one after the other.
[[nodiscard]] std::vector<Option> joined(std::initializer_list<std::vector<Option>> lists);

// The options of a command and the global ones.
[[nodiscard]] std::vector<Option> all_options(const Command& command);

// The options of every command, and the settings they give.
[[nodiscard]] std::vector<Option> global_options();
// Throws Error for options that Arguments::require_rows() refuses, and for a wrong variable of the
// environment. The functions that read options expect that this has been called.
void require_options(const Arguments& arguments);
[[nodiscard]] Settings read_settings(const Arguments& arguments);
// Keeps the texts of warnings in `kept` too.
void keep_warnings(Settings& settings, std::vector<std::string>& kept);
// Calls `body`, which with --json prints a document at its end. Where it throws instead, prints one with the
// error.
int with_json_error(const Arguments& arguments, const std::function<int()>& body);
// The same for an operation on tensors: the bytes of its work are shown, until it ends or is destroyed.
class MeteredSettings {
 public:
  // `output`: where the result goes, "" for nowhere. A result on a terminal is not mixed with a bar.
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
// --json, of all commands that have it.
[[nodiscard]] Option json_option(std::string help);
// --fsync, of commands that write results.
[[nodiscard]] Option fsync_option(std::string help);
// --input-format, and what it gives: null for auto.
[[nodiscard]] Option input_option();
[[nodiscard]] const Format* read_input_format(const Arguments& arguments);
// --output, --format and --fsync, and the destination they give; `choice` limits the formats.
[[nodiscard]] std::vector<Option> output_options();
[[nodiscard]] Destination read_destination(const Arguments& arguments);

[[nodiscard]] ProgressMode read_progress(const Arguments& arguments);
// --rtol and all that is like it, and the texts that are given.
[[nodiscard]] std::vector<Option> tolerance_options();
[[nodiscard]] std::vector<ToleranceText> read_tolerance_texts(const Arguments& arguments);
// --jobs, and the settings of a batch of jobs.
[[nodiscard]] std::vector<Option> batch_options();
[[nodiscard]] BatchSettings read_batch_settings(const Arguments& arguments);

// --explain-plan, and the lines that it prints of a call; `location` is that of a job, or empty.
inline constexpr std::string_view kExplainPlan = "--explain-plan";
[[nodiscard]] Option explain_plan_option();
[[nodiscard]] std::string plan_lines(const std::string& location, const AccessReport& report);

// --onnx-case DIR of operators and of run.
inline constexpr std::string_view kCase = "--onnx-case";
[[nodiscard]] Option case_option(std::string help);

// --rename-regex FROM=TO, for names of `things`.
[[nodiscard]] Option rename_option(std::string_view things);

// --ignore MASK.
[[nodiscard]] Option ignore_option();

// Writes the lines of an error to standard error.
void report_error(const Failure& error);

// The sentence that lists and remarks show.
[[nodiscard]] std::string_view first_sentence(std::string_view summary);

// The options of a command under headings, in the order of help; those of one heading in their own order.
struct OptionGroup {
  Heading heading;
  std::vector<Option> options;
};
[[nodiscard]] std::vector<OptionGroup> option_groups(const Command& command);

[[nodiscard]] std::string help_text(const Command& command);
void print_program_help();
int print_version();

// What the program does, in one sentence.
inline constexpr std::string_view kProgramSummary =
    "Gathers, scatters, broadcasts and combines tensors in files, as ONNX and OpenVINO define it";

}  // namespace tensorop
