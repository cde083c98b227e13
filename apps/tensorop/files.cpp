// `info`: what a file holds. `convert`: the same tensor in another format or dtype. `nonzero`: where it is
// not zero.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/convert.hpp"
#include "engine/positions.hpp"
#include "info_stats.hpp"
#include "io/format.hpp"
#include "io/inspect.hpp"
#include "io/onnx/onnx_model.hpp"
#include "io/tensor_set.hpp"
#include "jobs/cases.hpp"
#include "jobs/onnx_case.hpp"
#include "report/describe.hpp"
#include "report/describe_file.hpp"
#include "report_options.hpp"

namespace tensorop {

namespace {

// The models of ONNX case folders, a line for each. Those that cannot be read are reported, and counted.
std::string describe_cases(const std::string& folder, const std::function<bool(const std::string&)>& wanted,
                           bool as_json, std::size_t& cases, std::size_t& failed) {
  std::string lines;
  const auto attempt = [&](const std::string& path, const std::function<void()>& body) {
    try {
      body();
    } catch (Error& error) {
      if (path == folder) throw;
      error.add_context("info");
      report_error(error);
      ++failed;
      ++cases;
    }
  };
  for_each_onnx_case(folder, attempt, [&](const std::string& path, const std::vector<std::string>& names) {
    if (!wanted(path.substr(path.rfind('/') + 1))) return;
    const OnnxModel model = read_case_model(path);
    const auto sets = to_int64(data_sets(names).size());
    lines += as_json ? describe_case_json(model, path, sets) : describe_case_text(model, path, sets);
    ++cases;
  });
  return lines;
}

// The tensors of a folder: of the archive whose index it has, or its files.
std::vector<std::string> tensors_of_folder(const std::string& folder,
                                           const std::function<bool(const std::string&)>& wanted) {
  const auto set = TensorSet::open(folder);
  if (set->is_archive()) return {set->name()};
  std::vector<std::string> paths;
  for (const SetMember& member : set->members()) {
    if (names_archive(member.name) || wanted(member.name)) paths.push_back(set->path_of(member));
  }
  if (set->members().empty()) {
    throw Error(cat(printable(folder), ": no tensors and no ONNX cases in this folder"), "",
                "an ONNX case is a folder with model.onnx and test_data_set_0");
  }
  return paths;
}

// The description of a model; nothing where the file is none, or is a large one, whose initializers are
// listed.
std::optional<std::string> describe_if_model(const std::string& path, bool as_json) {
  // A stream must be opened once.
  struct stat info {};
  if (path == "-" || os().stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const InputFile file = InputFile::open(path);
  if (!file.mapping() || !is_onnx_model(file.mapping()->bytes())) return std::nullopt;
  try {
    const OnnxModel model = read_onnx_model(path);
    return as_json ? describe_json(model, path) : describe_text(model, path);
  } catch (const OnnxSizeError&) {
    return std::nullopt;
  }
}

// Leaves the arrays of an archive that are wanted.
void select_arrays(const std::function<bool(const std::string&)>& wanted, FileContent& content) {
  const auto is_other = [&](const FileInfo& file) {
    return !wanted(file.path.substr(content.path.size() + 1));
  };
  std::erase_if(content.arrays, is_other);
  content.is_whole = false;
}

// `as_statistics`: arrays are described elsewhere.
void describe_file(const FileContent& content, bool as_json, bool as_statistics,
                   const std::function<void(const std::string&)>& warn) {
  for (const std::string& line : content.warnings) {
    if (warn) warn(line);
  }
  for (const FileInfo& file : content.arrays) {
    for (const std::string& line : file.warnings) {
      if (warn) warn(cat(printable(file.path), ": ", line));
    }
  }
  const bool is_described = content.arrays.empty() ? content.faults.empty() : !as_statistics;
  if (is_described) print(as_json ? describe_json(content) : describe_text(content));
  if (!content.is_whole && content.arrays.empty() && content.faults.size() == 1)
    throw Error(content.faults[0]);
  for (Error error : content.faults) {
    error.add_context("info");
    report_error(error);
  }
  if (content.faults.empty()) return;
  throw Error(cat(printable(content.path), ": ", content.faults.size(), " of ",
                  content.arrays.size() + content.faults.size(), " arrays could not be described"));
}

int run_info(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no file given");
  if (std::ranges::count(arguments.operands, "-") > 1) throw Error("standard input can be read only once");
  const Format* const format = read_input_format(arguments);
  const bool as_json = arguments.has("--json");
  const bool filters = arguments.has("--filter");
  const auto wanted = read_filter(arguments);
  InfoStatistics statistics(arguments);
  const bool measures = statistics.is_wanted();
  const auto warn = read_settings(arguments).warn;
  std::size_t files = 0;
  std::size_t failed = 0;
  bool is_listed = false;  // something that the filter leaves
  const auto describe_one = [&](const std::string& path) {
    if (const auto model = filters || measures ? std::nullopt : describe_if_model(path, as_json)) {
      print(*model);
    } else {
      FileContent content = statistics.inspect(path, format);
      if (filters && content.is_whole) select_arrays(wanted, content);
      is_listed |= !content.arrays.empty();
      statistics.take(content);
      if (!filters || !content.arrays.empty() || !content.faults.empty())
        describe_file(content, as_json, measures, warn);
    }
    ++files;
  };
  const auto attempt = [&](const std::string& path, bool is_only, const std::function<void()>& body) {
    try {
      body();
    } catch (Error& error) {
      if (as_json) print(describe_json(path, error));
      if (is_only) throw;
      error.add_context("info");
      report_error(error);
      ++files;
      ++failed;
    }
  };
  const auto describe = [&](const std::string& path) {
    if (path == "-" || !is_folder(path)) return describe_one(path);
    const std::size_t before = files;
    const std::string cases = measures ? "" : describe_cases(path, wanted, as_json, files, failed);
    is_listed |= !cases.empty();
    if (!cases.empty()) print(cases);
    if (files != before) return;
    const auto tensors = tensors_of_folder(path, wanted);
    if (tensors.size() == 1) return describe_one(tensors[0]);
    for (const std::string& tensor : tensors) attempt(tensor, false, [&] { describe_one(tensor); });
  };
  try {
    for (const std::string& path : arguments.operands)
      attempt(path, arguments.operands.size() == 1, [&] { describe(path); });
  } catch (const Failure&) {
    (void)statistics.print_all();
    throw;
  }
  const int status = statistics.print_all();
  if (filters && !is_listed && failed == 0) refuse_filter(arguments, "tensor");
  if (failed == 0) return status;
  throw Error(cat(failed, " of ", files, " files could not be described"));
}

int run_convert(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no input given");
  const Conversion conversion{.inputs = arguments.operands,
                              .dtypes = arguments.values("--dtype"),
                              .view = arguments.value("--view"),
                              .overflow = arguments.value("--overflow"),
                              .text_format = read_input_format(arguments),
                              .destination = read_destination(arguments),
                              .compress = arguments.has("--compress"),
                              .replace = arguments.has("--replace"),
                              .metadata = arguments.values("--metadata"),
                              .metadata_from = arguments.value("--metadata-from")};
  const MeteredSettings settings(arguments, conversion.destination.path);
  convert(conversion, settings.get());
  return 0;
}

int run_nonzero(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no operand given");
  if (arguments.operands.size() > 1)
    throw Error(cat("unexpected operand ", in_quotes(arguments.operands[1]), ": nonzero takes 1"));
  const Destination destination = read_destination(arguments);
  const MeteredSettings settings(arguments, destination.path);
  write_nonzero(arguments.operands[0], read_input_format(arguments), destination, settings.get());
  return 0;
}

std::vector<Option> info_options() {
  std::vector<Option> options = {
      {"--filter", OptionKind::value, "TEXT",
       "of folders and archives: only tensors whose name contains TEXT; with * or ? TEXT is a glob"},
      {"--json", OptionKind::flag, "", "print one JSON object on each line, for programs"},
      input_option()};
  for (Option& option : InfoStatistics::options()) options.push_back(std::move(option));
  return options;
}

std::vector<Option> nonzero_options() {
  std::vector<Option> options = {input_option()};
  for (Option& option : output_options()) options.push_back(std::move(option));
  return options;
}

std::vector<Option> convert_options() {
  std::vector<Option> options = {
      {"--dtype", OptionKind::values, "DTYPE|NAME=DTYPE",
       "cast to this dtype; NAME=DTYPE only the arrays of the result whose names match NAME, where * stands "
       "for "
       "any text; it also names the small dtype of NPY data that does not say it (V1)"},
      {"--overflow", OptionKind::value, "error|saturate|nan",
       "what becomes of a number that a float8 or float4 of --dtype cannot hold; error (default): an error; "
       "saturate: the largest value, with its sign; nan: infinity, or NaN where there is none; float4 "
       "saturates in both"},
      {"--view", OptionKind::value, "DTYPE",
       "use the bits of the elements as those of this dtype, which has as many bits; --dtype casts after it"},
      input_option(),
      {"--compress", OptionKind::flag, "", "deflate the arrays of an NPZ archive"},
      {"--replace", OptionKind::flag, "", "of several arrays of one name write the last one"},
      {"--metadata", OptionKind::values, "KEY=VALUE", "metadata of a safetensors file"},
      {"--metadata-from", OptionKind::value, "FILE",
       "an archive whose metadata is taken; default: those that are inputs as a whole"},
  };
  for (Option& option : output_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace

Command info_command() {
  return {"info",
          {"info FILE|FOLDER... [--filter TEXT] [--json]",
           "info FILE|FOLDER... --stats [--digest] [--sort KEY] [--fail-if nan|inf]"},
          cat("Shows dtype, shape and layout of files, the node and opset of ONNX models, and the ONNX cases "
              "or the "
              "tensors of folders; reads only the headers of ",
              join_words(format_titles([](const Format& format) { return format.has_header(); }), "and"),
              " files"),
          {"tensorop info a.npy", "tensorop info --json *.npy", "tensorop info model.onnx",
           "tensorop info model.safetensors --stats --sort max --fail-if nan,inf"},
          info_options(),
          run_info};
}

Command nonzero_command() {
  return {
      "nonzero",
      {"nonzero OPERAND [-o FILE]"},
      "Prints the positions of the elements that are not zero, as indices: rank 1 for an operand of rank 1, "
      "else one index tuple in each row",
      {"tensorop nonzero '[true,false,true]'", "tensorop nonzero mask.npy -o positions.npy"},
      nonzero_options(),
      run_nonzero};
}

Command convert_command() {
  return {
      "convert",
      {"convert OPERAND [--view DTYPE] [--dtype DTYPE] [--overflow MODE] [-o FILE]",
       "convert [NAME=]OPERAND... -o FILE.npz|FILE.safetensors [OPTION]...",
       "convert NAME=OPERAND -o FILE.pb [OPTION]..."},
      "Rewrites a tensor in another format or dtype, or several into one archive; NAME= names an array",
      {"tensorop convert a.json -o a.npy", "tensorop convert a.npy",
       "tensorop convert a.npy --dtype float16 -o half.npy", "tensorop convert a.npy bias=b.npy -o ab.npz",
       "tensorop convert a.npy bias=b.npy -o ab.safetensors",
       "tensorop convert a.npy --dtype float8_e4m3fn --overflow saturate -o a.pb"},
      convert_options(),
      run_convert};
}

}  // namespace tensorop
