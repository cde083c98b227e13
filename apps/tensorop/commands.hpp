// The commands of the program. Each takes the arguments behind its name, writes to standard output and files,
// and returns the exit status; bad usage and bad input leave as Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "engine/batch.hpp"
#include "engine/engine.hpp"
#include "ops/registry.hpp"
#include "progress.hpp"

namespace tensorop {

using Words = std::vector<std::string>;

// An operator: `name` is as it was typed.
int run_operator(const FoundOperator& found, const std::string& name, const Words& args);
int run_compare(const Words& args);
int run_convert(const Words& args);
int run_info(const Words& args);
int run_ops(const Words& args);
int run_run(const Words& args);
int run_check(const Words& args);

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Words& args);
};
inline constexpr Command kCommands[] = {
    {"check", "Compares the results of jobs with golden files", run_check},
    {"compare", "Compares two tensors, by tolerances too, and says how they differ", run_compare},
    {"convert", "Rewrites a tensor in another format or dtype", run_convert},
    {"info", "Shows dtype, shape and layout of files, from their headers", run_info},
    {"ops", "Lists the operators with their versions, attributes and dtypes", run_ops},
    {"run", "Runs many operations in one process, from a file of jobs", run_run},
};

// Options that every command has, and what they mean.
[[nodiscard]] std::vector<Option> global_options();
[[nodiscard]] Settings read_settings(const Arguments& arguments);
// -o and --format, and what they mean.
[[nodiscard]] std::vector<Option> output_options();
[[nodiscard]] Destination read_destination(const Arguments& arguments);

[[nodiscard]] ProgressMode read_progress(const Arguments& arguments);
// --jobs, and with it how a batch of jobs is run.
[[nodiscard]] std::vector<Option> batch_options();
[[nodiscard]] BatchSettings read_batch_settings(const Arguments& arguments);

// Help of one command: examples first.
struct Help {
  std::string usage;    // behind "tensorop "
  std::string summary;  // without a full stop
  std::vector<std::string> examples;
};
void print_help(const Help& help, const std::vector<Option>& options);
void print_program_help();
int print_version();

// Writes text to standard output, all of it, or throws Error.
void print(std::string_view text);

}  // namespace tensorop
