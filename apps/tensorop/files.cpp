// `info` and `convert`: what a file holds, and the same tensor in another format or dtype.
#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/convert.hpp"
#include "engine/describe.hpp"
#include "io/inspect.hpp"

namespace tensorop {

int run_info(const Words& args) {
  std::vector<Option> options = {{"--json", OptionKind::flag, "", "one JSON object a line, for programs"}};
  for (Option& option : global_options()) options.push_back(std::move(option));
  const Arguments arguments = parse_arguments(args, options);
  if (arguments.has("--help")) {
    print_help({"info FILE... [--json]",
                "Shows dtype, shape and layout of files; of NPY files the header alone is read",
                {"tensorop info a.npy", "tensorop info --json *.npy"}},
               options);
    return 0;
  }
  if (arguments.has("--version")) return print_version();
  if (arguments.operands.empty()) throw Error("no file given");
  if (std::ranges::count(arguments.operands, "-") > 1) throw Error("standard input can be one file only");
  // All or nothing: an error leaves standard output empty.
  std::string lines;
  for (const std::string& path : arguments.operands) {
    const FileInfo info = inspect_file(path);
    lines += arguments.has("--json") ? describe_json(info) : describe_text(info);
  }
  print(lines);
  return 0;
}

int run_convert(const Words& args) {
  std::vector<Option> options = {
      {"--dtype", OptionKind::value, "DTYPE", "cast to this dtype; untyped JSON is read as it"},
  };
  for (Option& option : output_options()) options.push_back(std::move(option));
  for (Option& option : global_options()) options.push_back(std::move(option));
  const Arguments arguments = parse_arguments(args, options);
  if (arguments.has("--help")) {
    print_help({"convert OPERAND [--dtype DTYPE] [-o FILE]",
                "Rewrites a tensor in another format or dtype",
                {"tensorop convert a.json -o a.npy", "tensorop convert a.npy",
                 "tensorop convert a.npy --dtype float16 -o half.npy"}},
               options);
    return 0;
  }
  if (arguments.has("--version")) return print_version();
  if (arguments.operands.empty()) throw Error("no input given");
  if (arguments.operands.size() > 1) {
    throw Error(
        cat("unexpected operand ", printable(arguments.operands[1]), ": one input goes into one output"));
  }
  convert_tensor(arguments.operands[0], arguments.value("--dtype"), read_destination(arguments),
                 read_settings(arguments));
  return 0;
}

}  // namespace tensorop
