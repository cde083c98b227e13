#include "jobs/onnx_case.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/onnx_case_writer.hpp"
#include "explain/verdicts.hpp"
#include "io/inspect.hpp"
#include "io/json/json_objects.hpp"
#include "io/onnx/tensor_proto.hpp"
#include "io/opened_file.hpp"
#include "jobs/onnx_call.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kSet = "test_data_set_";

std::string model_in(const std::string& folder) {
  return path_from(folder, std::string(kOnnxModelFile));
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Returns the last part of the path of a folder.
std::string name_of_folder(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.empty() || name == "." || name == ".." ? path : name;
}

// Throws Error unless the path is a folder, or a regular file, as wanted.
enum class Wanted : std::uint8_t { file, folder };
void require_kind(const std::string& path, Wanted wanted) {
  struct stat info {};
  if (os().lstat(path.c_str(), &info) != 0) throw_errno(path, "cannot open");
  if (S_ISLNK(info.st_mode)) {
    throw Error(cat(printable(path), ": is a symbolic link, which is not followed in an ONNX case folder"));
  }
  if (wanted == Wanted::folder && !S_ISDIR(info.st_mode))
    throw Error(cat(printable(path), ": is not a folder"));
  if (wanted == Wanted::file && !S_ISREG(info.st_mode)) {
    throw Error(cat(printable(path), ": is not a regular file"));
  }
}

// Returns "12" for "input_12.pb"; nothing for any other name, such as "input_012.pb".
std::optional<std::string_view> number_in(std::string_view name, std::string_view prefix) {
  constexpr std::string_view kEnding = ".pb";
  if (!name.starts_with(prefix) || !name.ends_with(kEnding)) return std::nullopt;
  if (name.size() < prefix.size() + kEnding.size()) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - kEnding.size());
  const bool is_canonical = digits == "0" || !digits.starts_with('0');
  return is_digits(digits) && is_canonical ? std::optional(digits) : std::nullopt;
}

// Returns the paths of PREFIX0.pb, PREFIX1.pb, ... in a folder. The model has `count` of them.
std::vector<std::string> numbered_files(const std::string& folder, const std::vector<std::string>& names,
                                        std::string_view prefix, std::size_t count, std::string_view noun) {
  std::vector<std::string> out(count);
  for (const std::string& name : names) {
    const auto digits = number_in(name, prefix);
    if (!digits) continue;
    const auto number = parse_int64(*digits);
    if (!number || *number >= to_int64(count)) {
      throw Error(
          cat(printable(path_from(folder, name)), ": the model has ", counted(to_int64(count), noun)));
    }
    out[to_size(*number)] = path_from(folder, name);
  }
  return out;
}

// Returns the object of a data.json; nothing if it is not a single object.
std::optional<JsonObject> read_note(const std::string& path) {
  require_kind(path, Wanted::file);
  const std::string shown = printable(path);
  const OpenedFile opened = open_file(Operand::of_path(path), &kJsonFormat);
  if (opened.format != &kJsonFormat) throw Error(cat(shown, ": is ", noun_of(*opened.format), ", not JSON"));
  std::vector<JsonObject> objects = read_json_objects(text_of(opened), shown);
  return objects.size() == 1 && !objects[0].in_list ? std::optional(std::move(objects[0])) : std::nullopt;
}

// Returns the tolerances in the data.json of a case.
std::vector<ToleranceText> noted_tolerances(const std::string& path) {
  const std::optional<JsonObject> note = read_note(path);
  return with_context(printable(path), [&] {
    if (!note) throw Error("must be one JSON object");
    std::vector<ToleranceText> out;
    for (const JsonMember& member : note->members) {
      if (member.key != "rtol" && member.key != "atol") continue;
      ToleranceText given{member.key, std::string(member.value.text)};
      if (member.kind != JsonKind::number) {
        throw Error(cat(member.key, " must be a non-negative number, found ", kind_name(member.kind)));
      }
      (void)parse_tolerances({given});
      out.push_back(std::move(given));
    }
    return out;
  });
}

Tolerances tolerances_of(const std::vector<ToleranceText>& noted, const JobDefaults& defaults) {
  Tolerances out = parse_tolerances(join_tolerances(defaults.tolerances, noted));
  if (out.by_default == ToleranceDefault::exact) out.by_default = ToleranceDefault::onnx;
  out.any_dtype = true;
  return out;
}

// Returns the call of the model in a folder, or the reason why tensorop does not have it.
std::variant<OnnxCall, Skipped> read_case_call(const std::string& folder) {
  try {
    const OnnxModel model = read_case_model(folder);
    return with_context(printable(model_in(folder)), [&] { return call_of_model(model); });
  } catch (const OnnxSizeError& error) {
    return Skipped{"large models", error.reason};
  }
}

// Throws Error if a data file's tensor has the name of another input, or of the output.
void require_own_name(const std::string& path, const OnnxCall& call, const std::string& own) {
  const std::string name = tensor_proto_name(InputFile::open(path).bytes());
  if (name.empty() || name == own) return;
  const auto has_input = [&](const std::string& of) {
    return std::ranges::find(call.inputs, of, &OnnxInput::name) != call.inputs.end();
  };
  const bool is_input = has_input(name);
  if (!is_input && (call.output == nullptr || name != *call.output)) return;
  throw Error(cat(printable(path), ": is named \"", printable(name), "\", which is ",
                  !is_input        ? "the output"
                  : has_input(own) ? "another input"
                                   : "an input",
                  " of the model"));
}

// No other check covers the dtype of an input that no node uses. Numbers as text may have any dtype.
void require_declared_dtype(const std::string& path, const OnnxCall& call, std::size_t input) {
  const std::optional<DType> declared = call.inputs[input].dtype;
  const auto is_used = [&](const OnnxCall::Operand& operand) {
    return !operand.initializer && operand.input == input;
  };
  if (!declared || std::ranges::any_of(call.operands, is_used)) return;
  const std::vector<ArrayEntry> arrays = inspect_file(path).arrays;
  if (arrays.size() != 1) {
    throw Error(cat(printable(path), ": holds ", counted(to_int64(arrays.size()), "array"), ", not one"));
  }
  const ArrayEntry& file = arrays[0];
  if (file.stored.empty() || !file.names_dtype || file.dtype == declared) return;
  throw Error(cat(printable(path), " is ", file.dtype ? name(*file.dtype) : printable(file.stored),
                  ", but is declared as ", name(*declared)));
}

// Reads the cases of one folder.
class OnnxCaseReader {
 public:
  OnnxCaseReader(const std::string& folder, const std::vector<std::string>& names,
                 const JobDefaults& defaults, std::vector<Job>& jobs)
      : folder_(folder), names_(names), defaults_(defaults), jobs_(jobs) {}

  void read() {
    const std::vector<std::string> sets = data_sets(names_);
    const bool is_alone = sets.size() == 1;
    std::variant<OnnxCall, Skipped> found;
    Job whole = job_at(folder_, name_of_folder(folder_));
    if (!attempt(whole, [&] {
          found = read_case_call(folder_);
          if (std::holds_alternative<Skipped>(found)) return;
          if (has(names_, kOnnxNote)) noted_ = noted_tolerances(path_from(folder_, std::string(kOnnxNote)));
          tolerances_ = tolerances_of(noted_, defaults_);
        })) {
      jobs_.push_back(std::move(whole));
      return;
    }
    for (const std::string& set : sets) {
      const std::string path = path_from(folder_, set);
      Job job = is_alone ? whole : job_at(path, cat(whole.name, "/", set));
      if (const auto* skipped = std::get_if<Skipped>(&found)) {
        job.skipped = *skipped;
      } else {
        attempt(job, [&] { read_set(path, std::get<OnnxCall>(found), job); });
      }
      jobs_.push_back(std::move(job));
    }
  }

 private:
  [[nodiscard]] Job job_at(std::string folder, std::string name) const {
    Job job;
    job.file = model_in(folder_);
    job.folder = std::move(folder);
    job.name = std::move(name);
    job.is_case = true;
    return job;
  }

  // Runs `body`; an Error becomes the fault of the case.
  static bool attempt(Job& job, const std::function<void()>& body) {
    try {
      body();
      return true;
    } catch (const Error& error) {
      job.fault = std::make_shared<Error>(error);
      return false;
    }
  }

  void read_set(const std::string& set, const OnnxCall& call, Job& job) const {
    require_kind(set, Wanted::folder);
    std::vector<std::string> names;
    if (os().scandir(set.c_str(), names) != 0) throw_errno(set, "cannot list");
    std::vector<Operand> inputs;
    for (std::string& path : numbered_files(set, names, "input_", call.inputs.size(), "input")) {
      if (path.empty()) {
        throw Error(cat(printable(path_from(set, cat("input_", inputs.size(), ".pb"))), ": is missing"));
      }
      require_kind(path, Wanted::file);
      require_own_name(path, call, call.inputs[inputs.size()].name);
      require_declared_dtype(path, call, inputs.size());
      inputs.push_back(Operand::of_path(std::move(path)));
    }
    std::string output = numbered_files(set, names, "output_", 1, "output")[0];
    if (output.empty()) {
      // A check reports the file as missing; an update creates it.
      output = path_from(set, "output_0.pb");
    } else {
      require_kind(output, Wanted::file);
      require_own_name(output, call, call.output == nullptr ? "" : *call.output);
    }
    job.request = request_of(call, inputs);
    if (defaults_.only_spec) job.request = call_under(job.request, *defaults_.only_spec);
    Expectation& expect = job.expect.emplace();
    expect.kind = Expectation::Kind::file;
    expect.operand = Operand::of_path(std::move(output));
    expect.array = call.output;
    expect.operand.declared = call.output_dtype;
    Tolerances tolerances = tolerances_;
    if (tolerances.by_default == ToleranceDefault::onnx && only_moves(job.request))
      tolerances.by_default = ToleranceDefault::exact;
    job.tolerances = std::make_shared<Tolerances>(std::move(tolerances));
    FileFinder finder;
    find_files(job, finder);
  }

  const std::string& folder_;
  const std::vector<std::string>& names_;
  const JobDefaults& defaults_;
  std::vector<Job>& jobs_;
  std::vector<ToleranceText> noted_;
  Tolerances tolerances_;
};

// Sorts numbers by value, before all other names.
auto order_of_set(const std::string& name) {
  std::string number = name.substr(kSet.size());
  const bool is_number = is_digits(number);
  if (is_number) number.erase(0, std::min(number.find_first_not_of('0'), number.size() - 1));
  const std::size_t digits = is_number ? number.size() : 0;
  return std::tuple(!is_number, digits, std::move(number), name);
}

std::string folder_name(const Job& job, std::size_t number) {
  return job.name == job.location() ? cat("job_", number) : file_name_of(job.name);
}

// Throws Error if an output is in a case folder, which must have no other files.
void require_outputs_elsewhere(const std::vector<Job>& jobs) {
  PathKeys keys;
  std::set<std::string> cases;
  for (const Job& job : jobs)
    cases.insert({keys.key_of_folder(job.case_folder), keys.key_of(job.case_folder)});
  for (const Job& job : jobs) {
    if (!job.output) continue;
    const auto refuse = [&](std::string_view what) {
      throw Error(cat(job.location(), ": key \"output\": ", printable(job.output->path), what));
    };
    if (cases.contains(keys.key_of(job.output->path))) refuse(" is the folder of a case");
    for (const std::string& folder : keys.folders_of(job.output->path)) {
      if (cases.contains(folder)) refuse(" is in the folder of a case");
    }
  }
}

}  // namespace

bool is_onnx_case(const std::vector<std::string>& names) {
  const auto is_set = [](const std::string& name) { return name.starts_with(kSet); };
  return has_onnx_model(names) && std::ranges::any_of(names, is_set);
}

bool has_onnx_model(const std::vector<std::string>& names) {
  return has(names, kOnnxModelFile);
}

OnnxModel read_case_model(const std::string& folder) {
  const std::string path = model_in(folder);
  require_kind(path, Wanted::file);
  return read_onnx_model(path);
}

std::vector<std::string> data_sets(const std::vector<std::string>& names) {
  std::vector<std::string> sets;
  std::ranges::copy_if(names, std::back_inserter(sets),
                       [](const std::string& name) { return name.starts_with(kSet); });
  std::ranges::sort(sets, {}, order_of_set);
  return sets;
}

void read_onnx_case(const std::string& folder, const std::vector<std::string>& names,
                    const JobDefaults& defaults, std::vector<Job>& jobs) {
  OnnxCaseReader(folder, names, defaults, jobs).read();
}

std::optional<Job> read_download(const std::string& path) {
  try {
    const std::optional<JsonObject> note = read_note(path);
    if (!note) return std::nullopt;
    const auto url = std::ranges::find(note->members, "url", &JsonMember::key);
    if (url == note->members.end() || url->kind != JsonKind::string) return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
  Job job;
  job.file = path;
  job.folder = directory_of(path);
  job.name = name_of_folder(job.folder);
  job.is_case = true;
  job.skipped = Skipped{"models to be downloaded", "the model is to be downloaded"};
  return job;
}

void make_case_folders(std::vector<Job>& jobs, const std::string& folder, bool durable) {
  std::map<std::string, const Job*> jobs_by_name;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs[i];
    const std::string name = folder_name(job, i + 1);
    const auto [there, is_new] = jobs_by_name.emplace(name, &job);
    if (!is_new) {
      throw Error(cat(job.location(), ": its case would have the name ", in_quotes(name), ", as the case of ",
                      there->second->reference()),
                  "", "give the job another \"name\"");
    }
    with_context(cat(job.location(), ": ", job.request.op.name->name), [&] { require_onnx(job.request); });
    job.case_folder = path_from(folder, name);
  }
  require_outputs_elsewhere(jobs);
  make_folder(folder, durable);
}

}  // namespace tensorop
