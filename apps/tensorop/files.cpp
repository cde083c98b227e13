// `info`: what a file holds. `convert`: the same tensor in another format or dtype. `nonzero`: where it is
// not zero.
#include <algorithm>
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/convert.hpp"
#include "engine/nonzero.hpp"
#include "io/inspect.hpp"
#include "report/describe.hpp"

namespace tensorop {

namespace {

int run_info(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no file given");
  if (std::ranges::count(arguments.operands, "-") > 1) throw Error("standard input can be read only once");
  const Format* const format = read_input_format(arguments);
  std::size_t failed = 0;
  for (const std::string& path : arguments.operands) {
    std::string lines;
    try {
      for (const FileInfo& file : inspect_file(path, format)) {
        lines += arguments.has("--json") ? describe_json(file) : describe_text(file);
        for (const std::string& line : file.warnings) {
          std::fprintf(stderr, "tensorop: warning: %s: %s\n", printable(file.path).c_str(), line.c_str());
        }
      }
    } catch (const MemoryError&) {
      throw;
    } catch (Error& error) {
      if (arguments.operands.size() == 1) throw;
      error.add_context("info");
      report_error(error);
      ++failed;
    }
    if (!lines.empty()) print(lines);
  }
  if (failed == 0) return 0;
  throw Error(cat(failed, " of ", arguments.operands.size(), " files could not be described"));
}

int run_convert(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no input given");
  const Conversion conversion{arguments.operands, arguments.value("--dtype"), read_input_format(arguments),
                              read_destination(arguments, FormatChoice::all), arguments.has("--compress")};
  const MeteredSettings settings(arguments, conversion.destination.path);
  convert(conversion, settings.get());
  return 0;
}

int run_nonzero(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no operand given");
  if (arguments.operands.size() > 1)
    throw Error(cat("unexpected operand ", in_quotes(arguments.operands[1]), ": nonzero takes 1"));
  const Destination destination = read_destination(arguments, FormatChoice::tensor);
  const MeteredSettings settings(arguments, destination.path);
  write_nonzero(arguments.operands[0], destination, settings.get());
  return 0;
}

std::vector<Option> convert_options() {
  std::vector<Option> options = {
      {"--dtype", OptionKind::value, "DTYPE", "cast to this dtype"},
      input_option(),
      {"--compress", OptionKind::flag, "", "deflate the arrays of an NPZ archive"},
  };
  for (Option& option : output_options(FormatChoice::all)) options.push_back(std::move(option));
  return options;
}

}  // namespace

Command info_command() {
  return {
      "info",
      {"info FILE... [--json]"},
      cat("Shows dtype, shape and layout of files; reads only the headers of ",
          join_words(format_titles([](const Format& format) { return format.has_header(); }), "and"),
          " files"),
      {"tensorop info a.npy", "tensorop info --json *.npy"},
      {{"--json", OptionKind::flag, "", "print one JSON object on each line, for programs"}, input_option()},
      run_info};
}

Command nonzero_command() {
  return {
      "nonzero",
      {"nonzero OPERAND [-o FILE]"},
      "Prints the positions of the elements that are not zero, as indices: rank 1 for an operand of rank 1, "
      "else one index tuple in each row",
      {"tensorop nonzero '[true,false,true]'", "tensorop nonzero mask.npy -o positions.npy"},
      output_options(FormatChoice::tensor),
      run_nonzero};
}

Command convert_command() {
  return {
      "convert",
      {"convert OPERAND [--dtype DTYPE] [-o FILE]",
       "convert [NAME=]OPERAND... -o FILE.npz [--dtype DTYPE] [--compress]"},
      "Rewrites a tensor in another format or dtype, or several into one archive",
      {"tensorop convert a.json -o a.npy", "tensorop convert a.npy",
       "tensorop convert a.npy --dtype float16 -o half.npy", "tensorop convert a.npy bias=b.npy -o ab.npz"},
      convert_options(),
      run_convert};
}

}  // namespace tensorop
