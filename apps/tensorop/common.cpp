// What the commands share: global options, help, standard output.
#include <algorithm>
#include <cstdio>
#include <span>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "commands.hpp"

namespace tensorop {

std::vector<Option> global_options() {
  return {
      {"--threads", OptionKind::value, "N", "threads to use; default: the cores this process may use"},
      {"--quiet", OptionKind::flag, "", "no warnings", "-q"},
      {"--help", OptionKind::flag, "", "shows this", "-h"},
      {"--version", OptionKind::flag, "", "shows the version"},
  };
}

Settings read_settings(const Arguments& arguments) {
  Settings settings;
  settings.threads = Threads(available_cores());
  if (const auto text = arguments.value("--threads")) {
    const auto number = parse_int64(*text);
    if (!number || *number < 1) throw Error(cat("--threads ", printable(*text), " is no number from 1 on"));
    // The result is the same for any number: more than this only costs.
    constexpr std::int64_t kMostThreads = 1024;
    settings.threads = Threads(static_cast<int>(std::min(*number, kMostThreads)));
  }
  if (!arguments.has("--quiet")) {
    settings.warn = [](const std::string& line) {
      std::fprintf(stderr, "tensorop: warning: %s\n", line.c_str());
    };
  }
  return settings;
}

std::vector<Option> output_options() {
  return {
      {"--output", OptionKind::value, "FILE", "where the result goes; default: - (standard output)", "-o"},
      {"--format", OptionKind::value, "npy|json|nested",
       "the result's format; default: by FILE's ending, else json"},
  };
}

Destination read_destination(const Arguments& arguments) {
  Destination destination;
  destination.path = arguments.value("--output").value_or("-");
  if (destination.path.empty()) throw Error("--output needs the name of a file");
  if (const auto text = arguments.value("--format")) {
    const std::string format = lower(*text);
    if (format == "npy") {
      destination.format = Format::npy;
    } else if (format == "json") {
      destination.format = Format::json;
    } else if (format == "nested") {
      destination.format = Format::nested;
    } else if (format == "npz") {
      destination.format = Format::npz;
    } else {
      throw Error(cat("--format ", printable(*text), " is not one of npy, json, nested"));
    }
  }
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

void print_help(const Help& help, const std::vector<Option>& options) {
  std::string text;
  for (const std::string& example : help.examples) text += cat("  ", example, '\n');
  text += cat("\n", help.summary, ".\n\nUsage: tensorop ", help.usage, "\n\n");
  for (const Option& option : options) text += option_line(option);
  print(text);
}

void print_program_help() {
  std::string text =
      "  tensorop gathernd --data a.npy --indices i.npy -o out.npy\n"
      "  tensorop gather '[[1,2],[3,4]]' '[1]' --axis 1\n"
      "  tensorop scatternd --help\n"
      "\n"
      "Gathers, scatters and broadcasts tensors in NPY and JSON files, as ONNX and OpenVINO define it.\n"
      "\n"
      "Usage: tensorop OPERATOR OPERAND... [OPTION]... [-o FILE]\n"
      "       tensorop COMMAND ...\n"
      "\n"
      "Operators:\n";
  for (const Operator* op : kOperators) text += name_line(op->name, op->summary);
  text += "\nCommands:\n";
  for (const Command& command : kCommands) text += name_line(command.name, command.summary);
  text += "\nOptions:\n";
  for (const Option& option : global_options()) text += option_line(option);
  print(text);
}

int print_version() {
  print("tensorop " TENSOROP_VERSION "\n");
  return 0;
}

void print(std::string_view text) {
  OutputFile::standard_output().append(std::as_bytes(std::span(text)));
}

}  // namespace tensorop
