// The commands of the program: what they are and what they share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "engine/engine.hpp"
#include "jobs/batch.hpp"
#include "ops/registry.hpp"
#include "progress.hpp"

namespace tensorop {

using Words = std::vector<std::string>;

// A command as it is described, for help, manual pages and completion, and what it does.
struct Command {
  std::string name;
  std::vector<std::string> usages;  // the ways to call it, behind "tensorop "
  std::string summary;              // without a full stop
  std::vector<std::string> examples;
  std::vector<Option> options;  // but for those of every command; one of their names takes its place
  // Returns the exit status. Bad usage and bad input leave as Error.
  std::function<int(const Arguments&)> run;
};

[[nodiscard]] Command operator_command(const FoundOperator& found);

[[nodiscard]] Command check_command();
[[nodiscard]] Command compare_command();
[[nodiscard]] Command completion_command();
[[nodiscard]] Command convert_command();
[[nodiscard]] Command info_command();
[[nodiscard]] Command man_command();
[[nodiscard]] Command ops_command();
[[nodiscard]] Command run_command();

struct CommandEntry {
  std::string_view name;
  Command (*describe)();
};
inline constexpr CommandEntry kCommands[] = {
    {"check", check_command},     {"compare", compare_command}, {"completion", completion_command},
    {"convert", convert_command}, {"info", info_command},       {"man", man_command},
    {"ops", ops_command},         {"run", run_command},
};

// All of them, operators first.
[[nodiscard]] std::vector<Command> all_commands();

// The options of a command and those that every command has.
[[nodiscard]] std::vector<Option> all_options(const Command& command);

// Options that every command has, and what they mean.
[[nodiscard]] std::vector<Option> global_options();
[[nodiscard]] Settings read_settings(const Arguments& arguments);
// -o and --format, and what they mean, for a result in one of the formats of the choice.
[[nodiscard]] std::vector<Option> output_options(FormatChoice choice);
[[nodiscard]] Destination read_destination(const Arguments& arguments, FormatChoice choice);

[[nodiscard]] ProgressMode read_progress(const Arguments& arguments);
// --jobs, and with it how a batch of jobs is run.
[[nodiscard]] std::vector<Option> batch_options();
[[nodiscard]] BatchSettings read_batch_settings(const Arguments& arguments);

void print_help(const Command& command);
void print_program_help();
int print_version();

// What the program is, in a sentence.
inline constexpr std::string_view kProgramSummary =
    "Gathers, scatters and broadcasts tensors in NPY and JSON files, as ONNX and OpenVINO define it";

}  // namespace tensorop
