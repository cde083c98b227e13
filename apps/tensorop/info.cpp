// `info`: describes the content of files.
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/process/terminal.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "convert/measure.hpp"
#include "engine/operands.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/inspect.hpp"
#include "io/onnx/message_kind.hpp"
#include "io/onnx/onnx_model.hpp"
#include "io/opened_file.hpp"
#include "io/tensor_set.hpp"
#include "jobs/cases.hpp"
#include "jobs/onnx_case.hpp"
#include "report/describe_file.hpp"
#include "report/statistics_report.hpp"
#include "report_options.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kStats = "--stats";

// A word of --fail-if.
struct Failing {
  std::string_view word;
  std::string_view noun;  // in the line that names the arrays
  bool needs_statistics;
  bool (*is_met)(const MeasuredArray& array);
};
constexpr Failing kFailing[] = {
    {"nan", "nan", true, [](const MeasuredArray& array) { return array.statistics.nan != 0; }},
    {"inf", "inf", true, [](const MeasuredArray& array) { return array.statistics.infinite != 0; }},
    {"unaligned", "unaligned elements", false,
     [](const MeasuredArray& array) { return array.info.is_unaligned; }},
};

std::string words_of_failing(std::string_view separator) {
  return join(std::span(kFailing), separator, [](const Failing& row) { return row.word; });
}

// The arrays of all operands, the results of --stats and --fail-if, and the document of --json. Without
// --stats inspect() is inspect_file(), and no array is measured.
class InfoReport {
 public:
  explicit InfoReport(const Arguments& arguments) : arguments_(arguments) {}

  // Throws Error for words of --fail-if that are unknown, or that need --stats if it is not given.
  void read_options() {
    for (const std::string& list : arguments_.values("--fail-if")) {
      for (const std::string& word : split(list, ",")) {
        const auto* const row = std::ranges::find(kFailing, word, &Failing::word);
        if (row == std::end(kFailing))
          throw Error(cat("--fail-if ", in_quotes(word), " is not one of ", words_of_failing(", ")));
        fail_if_.push_back(row);
      }
    }
    if (!arguments_.has(kStats)) {
      if (std::ranges::any_of(fail_if_, &Failing::needs_statistics)) throw Error("--fail-if needs --stats");
      return;
    }
    sort_key_ = arguments_.value("--sort").value_or("");
    settings_.emplace(arguments_, "-");
  }

  [[nodiscard]] bool measures() const { return settings_.has_value(); }
  [[nodiscard]] bool as_json() const { return arguments_.has("--json"); }

  // Prints a warning that belongs to no file.
  void warn(const std::string& line) {
    warnings_.push_back(line);
    const auto print_warning = read_settings(arguments_).warn;
    if (print_warning) print_warning(line);
  }

  // Adds entries for --json.
  void add(const FileEntry& file) { files_.push_back(file); }
  void add(const std::vector<ArrayEntry>& arrays) {
    std::string lines;
    for (const ArrayEntry& array : arrays) lines += list_.item(array_json(array));
    print(lines);
  }
  [[nodiscard]] std::size_t files() const { return files_.size(); }
  // If a file was added after the first `before` ones and has no error, this is its error. Otherwise adds
  // `path` as a file that could not be described.
  void add_error(std::size_t before, const std::string& path, const Failure& error) {
    if (files_.size() == before || files_.back().error) {
      files_.push_back(file_entry(path, error));
    } else {
      files_.back().error = error;
    }
  }

  [[nodiscard]] FileContent inspect(const Operand& operand, const Format* format) const {
    if (!measures()) return inspect_file(operand, format);
    const Source::Options options = with_settings({.text_format = format}, settings_->get());
    return inspect_file(operand, format, &options);
  }

  // Measures the arrays of a file; content.arrays keeps the readable ones.
  void add_arrays(FileContent& content) {
    if (!measures()) {
      for (const ArrayEntry& info : content.arrays) measured_.push_back({.info = info});
      return;
    }
    std::vector<MeasuredArray> found = measure_arrays(content, arguments_.has("--digest"), settings_->get());
    content.arrays.clear();
    for (const MeasuredArray& array : found) content.arrays.push_back(array.info);
    std::ranges::move(found, std::back_inserter(measured_));
  }

  // Prints everything, once, with the error that ends the command, if any. Returns the exit status: 1 if
  // --fail-if is met, otherwise 0.
  int end(const Failure* error) {
    if (measures()) settings_->end();
    if (!sort_key_.empty()) sort_arrays(measured_, sort_key_);
    if (as_json()) {
      end_document(error);
    } else if (measures() && !measured_.empty() && read_loudness(arguments_) != Loudness::silent) {
      print(statistics_text(measured_, has_utf8_locale()));
    }
    std::vector<std::string> failing;
    for (const MeasuredArray& array : measured_) {
      if (is_failing(array)) failing.push_back(array.info.path);
    }
    if (!failing.empty() && !as_json() && !arguments_.has("--quiet")) {
      std::vector<std::string> nouns;
      for (const Failing* row : fail_if_) nouns.emplace_back(row->noun);
      print(cat(failing.size(), " of ", counted(to_int64(measured_.size()), "array"), " with ",
                join_words(nouns, "or"), ": ", list_names(failing), "\n"));
    }
    return failing.empty() ? 0 : 1;
  }

 private:
  void end_document(const Failure* error) {
    std::string lines;
    if (measures()) {
      for (const MeasuredArray& array : measured_) lines += list_.item(statistics_json(array));
    }
    const Json files = Json::list(files_, [](const FileEntry& file) { return file.json(); });
    print(lines + list_.end(Json::object().add("files", files).add_end(error, warnings_)));
  }

  [[nodiscard]] bool is_failing(const MeasuredArray& array) const {
    return std::ranges::any_of(fail_if_, [&](const Failing* row) { return row->is_met(array); });
  }

  const Arguments& arguments_;
  std::string sort_key_;
  std::vector<const Failing*> fail_if_;
  std::optional<MeteredSettings> settings_;
  std::vector<MeasuredArray> measured_;
  JsonList list_{Json::document(), "arrays"};
  std::vector<FileEntry> files_;
  std::vector<std::string> warnings_;
};

// Prints a line for the model of each ONNX case folder. Models that cannot be read are reported and counted.
void describe_cases(const std::string& folder, const Filter& filter, InfoReport& report, std::size_t& cases,
                    std::size_t& failed) {
  const Filter::Test wanted = filter.among({});
  const auto attempt = [&](const std::string& path, const std::function<void()>& body) {
    try {
      body();
    } catch (Error& error) {
      if (path == folder) throw;
      report.add_error(report.files(), path, error);
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
    if (report.as_json()) {
      report.add(file_entry(model, path, sets));
    } else {
      print(describe_case_text(model, path, sets));
    }
    ++cases;
  });
}

// Whether the file is a model without initializers, which has no tensors to describe.
bool is_empty_model(const std::string& path) {
  if (!path.ends_with(".onnx")) return false;
  try {
    const auto set = TensorSet::open_archive(Operand::of_path(path));
    return set && set->members().empty();
  } catch (const Error&) {
    return false;  // describing the file reports the error
  }
}

// Returns the tensors of a folder: the archive whose index it has, or its files.
std::vector<std::string> tensors_of_folder(const std::string& folder, const Filter& filter,
                                           InfoReport& report) {
  const auto set = TensorSet::open(Operand::of_path(folder));
  if (set->is_archive()) return {set->name()};
  std::vector<std::string> paths;
  for (const Unseen& entry : set->unseen())
    report.warn(cat(printable(folder), ": not looked at: ", unseen_text(entry)));
  std::vector<std::string> names;
  for (const SetMember& member : set->members()) names.push_back(member.name);
  const Filter::Test wanted = filter.among(names);
  for (const SetMember& member : set->members()) {
    if (is_empty_model(set->path_of(member))) continue;
    if (names_archive(member.name) || wanted(member.name)) paths.push_back(set->path_of(member));
  }
  if (set->members().empty())
    throw Error(cat(printable(folder), ": no tensors and no ONNX cases in this folder"), "",
                "an ONNX case is a folder with model.onnx and test_data_set_0");
  return paths;
}

// Describes a model. Returns false if the file is no model, or a large one whose initializers are listed.
bool describe_if_model(const std::string& path, InfoReport& report) {
  // A stream can be opened only once.
  if (path == "-" || !is_regular_file(path)) return false;
  if (classify_message(InputFile::open(path).bytes()) != MessageKind::model) return false;
  try {
    const OnnxModel model = read_onnx_model(path);
    if (report.as_json()) {
      report.add(file_entry(model, path));
    } else {
      print(describe_text(model, path));
    }
    return true;
  } catch (const OnnxSizeError&) {
    return false;
  }
}

// Removes all arrays of an archive except the wanted ones.
void select_arrays(const Filter& filter, FileContent& content) {
  const auto name_of = [&](const ArrayEntry& file) { return file.path.substr(content.path.size() + 1); };
  std::vector<std::string> names;
  for (const ArrayEntry& file : content.arrays) names.push_back(name_of(file));
  const Filter::Test wanted = filter.among(names);
  std::erase_if(content.arrays, [&](const ArrayEntry& file) { return !wanted(name_of(file)); });
  content.is_whole = false;
}

void describe_file(const FileContent& content, InfoReport& report,
                   const std::function<void(const std::string&)>& warn) {
  std::vector<std::string> warnings = content.warnings;
  for (const ArrayEntry& file : content.arrays) {
    for (const std::string& line : file.warnings) warnings.push_back(cat(printable(file.path), ": ", line));
  }
  if (warn) std::ranges::for_each(warnings, warn);
  // Statistics are printed at the end.
  if (report.as_json()) {
    report.add(file_entry(content));
    if (!report.measures()) report.add(content.arrays);
  } else if (content.arrays.empty() ? content.faults.empty() : !report.measures()) {
    print(describe_text(content));
  }
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

// Describes all operands. Throws Error at the end if some could not be described.
void describe_all(const Arguments& arguments, InfoReport& report) {
  if (arguments.operands.empty()) throw Error("no file given");
  if (std::ranges::count_if(arguments.operands,
                            [](const Operand& operand) { return operand.is_standard_input(); }) > 1)
    throw Error("standard input can be read only once");
  const Format* const format = read_input_format(arguments);
  const Filter filter(arguments, "tensor");
  const bool filters = filter.is_given();
  report.read_options();
  const auto warn = read_settings(arguments).warn;
  std::size_t files = 0;
  std::size_t failed = 0;
  // The tensors of a folder have already been selected by their names in it.
  const auto describe_one = [&](const std::string& path, bool is_operand) {
    if (filters || report.measures() || !describe_if_model(path, report)) {
      FileContent content = report.inspect(is_operand ? Operand(path) : Operand::of_path(path), format);
      if (filters && content.is_whole) {
        select_arrays(filter, content);
      } else if (filters && is_operand && !filter.among({path})(path)) {
        content.arrays.clear();
      }
      report.add_arrays(content);
      if (!filters || !content.arrays.empty() || !content.faults.empty())
        describe_file(content, report, warn);
    }
    ++files;
  };
  const auto attempt = [&](const std::string& path, bool is_only, const std::function<void()>& body) {
    const std::size_t before = report.files();
    try {
      body();
    } catch (Error& error) {
      report.add_error(before, path, error);
      if (is_only) throw;
      error.add_context("info");
      report_error(error);
      ++files;
      ++failed;
    }
  };
  const auto describe = [&](const std::string& path) {
    if (path == "-" || !is_folder(path)) return describe_one(path, true);
    const std::size_t before = files;
    if (!report.measures()) describe_cases(path, filter, report, files, failed);
    if (files != before) return;
    const auto tensors = tensors_of_folder(path, filter, report);
    if (tensors.size() == 1) return describe_one(tensors[0], false);
    for (const std::string& tensor : tensors) attempt(tensor, false, [&] { describe_one(tensor, false); });
  };
  for (const std::string& path : arguments.operands)
    attempt(path, arguments.operands.size() == 1, [&] { describe(path); });
  if (failed == 0) filter.require_matches();
  if (failed != 0) throw Error(cat(failed, " of ", files, " files could not be described"));
}

int run_info(const Arguments& arguments) {
  (void)read_loudness(arguments);
  InfoReport report(arguments);
  try {
    describe_all(arguments, report);
  } catch (const Failure& error) {
    (void)report.end(&error);
    throw;
  }
  return report.end(nullptr);
}

std::vector<Option> info_options() {
  const std::vector<Option> own = {
      json_option("print JSON, for programs"),
      input_option(),
      {"--stats", Heading::others, "",
       "read all elements: range, mean, standard deviation, number of NaN, infinities, zeros, "
       "negative zeros and subnormal numbers, and a histogram; of several arrays a table"},
      {"--digest", Heading::others, "", "also the SHA-256 of the elements, on one thread an array",
       OptionRules{.needs = kStats}},
      {"--sort", Heading::others, join(sort_keys(), "|"),
       "order the arrays, by name and min ascending, else descending",
       OptionRules{.kind = OptionKind::choice, .needs = kStats}},
      {"--fail-if", Heading::others, words_of_failing("|"),
       "exit status 1 where an array has NaN or infinities, with --stats, or elements that do not "
       "begin at a multiple of their size in a safetensors file",
       OptionRules{.repeats = true}},
  };
  std::vector<Option> options = joined({filter_options("tensors"), own});
  for (Option& option : global_options()) {
    if (option.name != "--threads" && option.name != "--memory" && option.name != "--progress") continue;
    option.rules.needs = kStats;
    options.push_back(std::move(option));
  }
  return options;
}

}  // namespace

Command info_command() {
  return {"info",
          {"info FILE|FOLDER... [--filter TEXT] [--json] [--fail-if unaligned]",
           "info FILE|FOLDER... --stats [--digest] [--sort KEY] [--fail-if nan|inf]"},
          cat("Shows what files hold: dtype, shape, layout, statistics. Of an ONNX model it shows node and "
              "opset, of a "
              "folder the ONNX cases or the tensors. It reads only the headers of ",
              join_words(format_titles([](const Format& format) { return format.has_header(); }), "and"),
              " files"),
          {"tensorop info a.npy", "tensorop info --json *.npy", "tensorop info model.onnx",
           "tensorop info model.safetensors --stats --sort max --fail-if nan,inf"},
          info_options(),
          run_info};
}

}  // namespace tensorop
