#include "jobs/job_keys.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/attributes.hpp"
#include "engine/portability.hpp"
#include "io/json/json_objects.hpp"
#include "io/source.hpp"
#include "jobs/onnx_call.hpp"
#include "ops/registry.hpp"
#include "ops/rule.hpp"

namespace tensorop {
namespace {

[[noreturn]] void refuse(const JsonMember& member, std::string_view expected) {
  throw Error(cat("expected ", expected, ", found ", kind_name(member.kind)));
}

std::string text_of(const JsonMember& member, std::string_view what) {
  if (member.kind != JsonKind::string) refuse(member, what);
  if (member.value.text.empty()) throw Error(cat("expected ", what, ", found an empty string"));
  return std::string(member.value.text);
}

bool boolean_of(const JsonMember& member) {
  if (member.kind != JsonKind::boolean) refuse(member, "true or false");
  return member.value.text == "true";
}

// A string that names a file, relative to the job file's folder.
std::string file_of(const JsonMember& member, const std::string& folder) {
  const std::string path = text_of(member, "a file name");
  if (path == "-") throw Error("a job cannot use standard input or standard output: name a file");
  if (path.find('\0') != std::string::npos) throw Error("a file name cannot contain a zero byte");
  return path_from(folder, path);
}

// A string means what it means on the command line, with paths relative to the folder; any other value is the
// tensor itself.
OperandText operand_of(const JsonMember& member, const std::string& folder) {
  if (member.kind == JsonKind::null) refuse(member, "an operand");
  if (member.kind != JsonKind::string) return {member.value};
  if (member.value.text.starts_with('@')) return {std::string(member.value.text)};
  if (is_inline_json(member.value.text)) return {member.value};
  std::string path = file_of(member, folder);
  if (looks_like_json(member.value.text) && !file_exists(path)) return {member.value};
  // The folder's name may begin like a list.
  return {is_inline_json(path) ? cat("./", path) : std::move(path)};
}

// An operand, or an attribute that is given like one.
NamedText named_operand_of(const JsonMember& member, const std::string& folder) {
  return {member.key, operand_of(member, folder)};
}

std::string without_blanks(std::string_view json) {
  std::string out(json);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return out;
}

// "2,3,4" of [2, 3, 4]; else as an operand.
NamedText list_attribute_of(const JsonMember& member, const std::string& folder) {
  const std::string_view text = member.value.text;
  if (member.kind == JsonKind::null || member.kind == JsonKind::boolean) refuse(member, "a list of integers");
  if (member.kind == JsonKind::number) return {member.key, std::string(text)};
  if (member.kind == JsonKind::list) {
    std::string inner = without_blanks(text.substr(1, text.size() - 2));
    if (is_plain_list(inner)) return {member.key, std::move(inner)};
  } else if (member.kind == JsonKind::string) {
    if (text.empty() || is_plain_list(text)) return {member.key, std::string(text)};
    if (text.starts_with('@')) throw Error("only operands can be the result of another job");
  }
  return named_operand_of(member, folder);
}

NamedText attribute_of(const JsonMember& member, AttributeKind kind, const std::string& folder) {
  if (kind == AttributeKind::integers) return list_attribute_of(member, folder);
  const bool is_element = kind == AttributeKind::element;
  const bool is_flag = kind == AttributeKind::boolean || kind == AttributeKind::flag;
  const bool is_boolean = member.kind == JsonKind::boolean;
  if (member.kind != JsonKind::number && member.kind != JsonKind::string &&
      !((is_flag || is_element) && is_boolean)) {
    refuse(member, is_flag                          ? "true or false"
                   : is_element                     ? "a value"
                   : kind == AttributeKind::integer ? "an integer"
                                                    : "a word");
  }
  return {member.key, std::string(member.value.text)};
}

// The items of the list in "operands".
std::vector<OperandText> operands_of(const JsonMember& member, const std::string& folder) {
  if (member.kind != JsonKind::list) refuse(member, "a list of operands");
  std::vector<OperandText> out;
  for (const JsonMember& item : read_json_items(member.value)) out.push_back(operand_of(item, folder));
  return out;
}

// The members of an object.
std::vector<JsonMember> members_of(const JsonMember& object, std::string_view expected) {
  if (object.kind != JsonKind::object) refuse(object, expected);
  return read_json_members(object.value, object.key);
}

// What `read` makes of each of them, within the context of its key.
template <class T>
std::vector<T> read_members(const JsonMember& object, std::string_view expected,
                            const std::function<T(const JsonMember& member)>& read) {
  std::vector<T> out;
  for (const JsonMember& member : members_of(object, expected))
    with_context(cat("\"", printable(member.key), "\""), [&] { out.push_back(read(member)); });
  return out;
}

// {"data": [2, -1], "indices": "-1,1"}.
std::vector<NamedText> reshapes_of(const JsonMember& member) {
  std::vector<NamedText> out;
  for (const JsonMember& shape : members_of(member, "an object of shapes")) {
    const bool is_shape =
        shape.kind == JsonKind::list || shape.kind == JsonKind::string || shape.kind == JsonKind::number;
    if (!is_shape) with_context(in_quotes(shape.key), [&] { refuse(shape, "a shape"); });
    out.push_back({shape.key, without_blanks(shape.value.text)});
  }
  return out;
}

std::string error_of(const JsonMember& member) {
  std::string text = text_of(member, "a rule id or part of a message");
  if (is_rule_id(text) && find_rule(text) == nullptr) {
    throw Error(cat("unknown rule ", in_quotes(text)), "",
                "tensorop explain lists all rules; part of a message needs more than capital letters, digits "
                "and \"-\"");
  }
  return text;
}

Expectation expectation_of(const JsonMember& member, const std::string& folder) {
  if (member.kind == JsonKind::null) refuse(member, "a tensor, a golden file or an error");
  if (member.kind == JsonKind::object) {
    const std::vector<JsonMember> members = read_json_members(member.value, "expect");
    const auto error = std::ranges::find(members, "error", &JsonMember::key);
    if (error != members.end()) {
      if (members.size() != 1) throw Error("\"error\" cannot be combined with another key");
      return {Expectation::Kind::error, with_context("error", [&] { return error_of(*error); })};
    }
  }
  OperandText operand = operand_of(member, folder);
  if (operand.json) return {Expectation::Kind::tensor, {}, std::move(*operand.json)};
  if (operand.text.starts_with('@')) throw Error("expected a tensor, a golden file or an error, found an id");
  return {Expectation::Kind::file, std::move(operand.text)};
}

ToleranceText tolerance_of(const JsonMember& member) {
  if (member.kind == JsonKind::null || member.kind == JsonKind::list || member.kind == JsonKind::object) {
    refuse(member, "a number or a word");
  }
  return {member.key, std::string(member.value.text)};
}

const JsonMember* find_member(const JsonObject& object, std::string_view key) {
  const auto found = std::ranges::find(object.members, key, &JsonMember::key);
  return found == object.members.end() ? nullptr : &*found;
}

// Where members are read to.
struct KeyReading {
  const std::string& folder;
  Job& job;
  JobDefaults shared;  // keys that "defaults" may have too
  bool is_of_versions = false;
  std::vector<NamedText> inputs = {};  // of a model

  [[nodiscard]] Destination& output() const {
    if (!job.output) job.output = Destination();
    return *job.output;
  }
};

void read_expectation(KeyReading& to, const JsonMember& member) {
  if (!to.is_of_versions) {
    to.job.expect = expectation_of(member, to.folder);
    return;
  }
  // {"onnx-13": {"error": "IX-1"}, "openvino-8": [50,0]}.
  to.job.expect_of_versions = read_members<VersionExpectation>(
      member, "an object of versions, each with what is expected", [&](const JsonMember& one) {
        return VersionExpectation{one.key, expectation_of(one, to.folder)};
      });
}

void read_output(KeyReading& to, const JsonMember& member) {
  set_path(to.output(), file_of(member, to.folder));
  // As an operand it is a tensor, or becomes one when the file does not exist.
  if (!looks_like_json(member.value.text)) return;
  const std::string shown = printable(member.value.text);
  throw Error(cat(shown, " would be read as a tensor when it is an operand: write ./", shown));
}

void read_format(KeyReading& to, const JsonMember& member) {
  to.output().format = find_format(text_of(member, "a format"));
  if (to.output().format != nullptr) return;
  throw Error(cat(in_quotes(member.value.text), " is not one of ", join(format_names())));
}

// Where a key is allowed.
constexpr unsigned kOfOperator = 1;  // jobs with "op"
constexpr unsigned kOfModel = 2;     // jobs with "model"
constexpr unsigned kOfDefaults = 4;  // the object "defaults"
constexpr unsigned kOfJob = kOfOperator | kOfModel;
constexpr unsigned kAnywhere = kOfJob | kOfDefaults;

struct JobKey {
  std::string_view name;
  unsigned where;
  std::string_view help;  // in Markdown
  // Null: it is read before all others, and decides which they can be.
  void (*read)(KeyReading& to, const JsonMember& member) = nullptr;
  bool (*fits)(const Operator& op) = nullptr;  // null: every operator
};

// All keys but operands, attributes and tolerances.
constexpr JobKey kKeys[] = {
    {"op", kOfOperator, "the operator, by any name that the command line accepts"},
    {"model", kOfModel, "instead of `op`: an ONNX model of one node"},
    {"inputs", kOfModel, "of a model: an object with an operand for each input of the graph",
     [](KeyReading& to, const JsonMember& member) {
       to.inputs = read_members<NamedText>(member, "an object of operands", [&](const JsonMember& input) {
         return named_operand_of(input, to.folder);
       });
     }},
    {"operands", kOfOperator,
     "a list of positional operands: they fill the remaining operands in order; `min` and `max` take more "
     "than two",
     [](KeyReading& to, const JsonMember& member) {
       to.job.request.positional = operands_of(member, to.folder);
     }},
    {"mask", kOfOperator, "an operand in place of `indices`",
     [](KeyReading& to, const JsonMember& member) {
       to.job.request.named.push_back(named_operand_of(member, to.folder));
     },
     [](const Operator& op) { return op.mask != MaskUse::none; }},
    {"reshape", kOfOperator,
     "an object with a shape for each operand that gets another one: `{\"indices\": [-1,1]}`",
     [](KeyReading& to, const JsonMember& member) { to.job.request.reshapes = reshapes_of(member); }},
    {"spec", kOfOperator | kOfDefaults, "as the option",
     [](KeyReading& to, const JsonMember& member) { to.shared.spec = text_of(member, "a specification"); }},
    {"oob", kOfOperator, "as the option",
     [](KeyReading& to, const JsonMember& member) { to.job.request.oob = text_of(member, "a word"); },
     [](const Operator& op) { return !op.oob.empty(); }},
    {"duplicates", kOfOperator, "as the option",
     [](KeyReading& to, const JsonMember& member) { to.job.request.duplicates = text_of(member, "a word"); },
     [](const Operator& op) { return !op.duplicates.empty(); }},
    {"dtype", kOfOperator, "as the option",
     [](KeyReading& to, const JsonMember& member) {
       to.job.request.dtype = text_of(member, "a dtype name");
     }},
    {"input_format", kOfJob, "the format of operands that are text: `json`, `text`, `csv` or `tsv`",
     [](KeyReading& to, const JsonMember& member) {
       to.job.request.text_format = read_text_format(text_of(member, "a format"));
     }},
    {"output", kOfJob, "the file for the result, or `ARCHIVE:NAME`", read_output},
    {"format", kOfJob, "the format of the result, if the file extension does not determine it", read_format},
    {"id", kOfJob,
     "a name for the result: later jobs of the file use it as `\"@id\"`. The result is kept in memory until "
     "the last job that uses it ends",
     [](KeyReading& to, const JsonMember& member) { to.job.id = text_of(member, "a name"); }},
    {"name", kOfJob, "the name of the job in reports; default: `id`, or else `FILE:LINE`",
     [](KeyReading& to, const JsonMember& member) { to.job.name = text_of(member, "a name"); }},
    {"expect", kOfJob,
     "of a case: the expected tensor, a golden file, or `{\"error\":RULE}`; under several versions an object "
     "with one of these for each version that is to have it",
     read_expectation},
    {"actual", kOfJob, "of a case: the file with the result of another program",
     [](KeyReading& to, const JsonMember& member) { to.job.actual = file_of(member, to.folder); }},
    {"ignore_open", kAnywhere, "of a case: do not compare elements that the specification leaves open",
     [](KeyReading& to, const JsonMember& member) { to.shared.ignore_open = boolean_of(member); }},
    {"comment", kAnywhere, "any value, ignored", [](KeyReading&, const JsonMember&) {}},
};

// The keys in this place, for messages; `op` is that of the job, if it is one.
std::vector<std::string> keys_in(unsigned where, const Operator* op) {
  std::vector<std::string> out;
  if (where == kOfOperator) {
    for (const OperandSpec& operand : op->operands) out.emplace_back(operand.name);
    for (const AttributeSpec& attribute : op->attributes) out.emplace_back(attribute.name);
  }
  for (const JobKey& key : kKeys) {
    const bool fits = op == nullptr || key.fits == nullptr || key.fits(*op);
    if ((key.where & where) != 0 && fits) out.emplace_back(key.name);
  }
  out.insert(out.end(), tolerance_names().begin(), tolerance_names().end());
  return out;
}

// An operand or an attribute by its name. False where the operator has none of that name.
bool read_of_operator(KeyReading& to, const JsonMember& member, bool has_model) {
  const Operator& op = *to.job.request.op.op;
  const bool is_operand = std::ranges::find(op.operands, member.key, &OperandSpec::name) != op.operands.end();
  const AttributeSpec* const attribute = find_attribute(op, member.key);
  if (!is_operand && attribute == nullptr) return false;
  if (has_model) throw Error("cannot be combined with \"model\"");
  if (is_operand) {
    to.job.request.named.push_back(named_operand_of(member, to.folder));
  } else {
    to.job.request.attributes.push_back(attribute_of(member, attribute->kind, to.folder));
  }
  return true;
}

// A key of the table, or a tolerance. False where there is none of that name in this place.
bool read_of_table(KeyReading& to, const JsonMember& member, unsigned where) {
  if (std::ranges::find(tolerance_names(), member.key) != tolerance_names().end()) {
    to.shared.tolerances.push_back(tolerance_of(member));
    return true;
  }
  const auto* const key = std::ranges::find(kKeys, member.key, &JobKey::name);
  if (key == std::end(kKeys)) return false;
  if ((key->where & where) == 0) {
    if (where == kOfModel) throw Error("cannot be combined with \"model\"");
    return false;
  }
  if (key->fits != nullptr && !key->fits(*to.job.request.op.op)) return false;
  if (key->read != nullptr) key->read(to, member);
  return true;
}

// The hint names the key, not the option.
void require_format(const Destination& output) {
  try {
    (void)format_of(output);
  } catch (const Error& error) {
    std::string hint = error.hint();
    constexpr std::string_view kOption = "give --format";
    if (const std::size_t at = hint.find(kOption); at != std::string::npos) {
      hint.replace(at, kOption.size(), "give \"format\":");
    }
    throw Error(error.what(), error.rule(), hint);
  }
}

// The specification of a job; empty: none. `defaults`: of jobs that name none.
std::string spec_of(const JsonObject& object, const std::optional<std::string>& defaults) {
  const JsonMember* const spec = find_member(object, "spec");
  if (spec == nullptr || spec->kind != JsonKind::string) return defaults.value_or("");
  return std::string(spec->value.text);
}

// A publisher has names of its own.
FoundOperator operator_of(const JsonObject& object, const std::string& spec) {
  const JsonMember* const op = find_member(object, "op");
  if (op == nullptr) throw Error("key \"op\" is missing");
  return with_context("key \"op\"",
                      [&] { return require_operator(text_of(*op, "an operator name"), publisher_in(spec)); });
}

[[noreturn]] void refuse_key(const std::string& key, const Operator& op,
                             const std::vector<std::string>& keys) {
  const std::string near = nearest(key, keys);
  throw Error(cat("unknown key \"", printable(key), "\" of ", op.name, " (",
                  near.empty() ? cat("allowed: ", join(keys)) : cat("did you mean \"", near, "\"?"), ")"));
}

}  // namespace

bool is_defaults(const JsonObject& object) {
  return find_member(object, "defaults") != nullptr;
}

void read_defaults(const JsonObject& object, JobDefaults& defaults) {
  for (const JsonMember& entry : object.members) {
    if (entry.key == "comment") continue;
    if (entry.key != "defaults") {
      throw Error(cat("key \"", entry.key, "\": \"defaults\" cannot be combined with another key"));
    }
    with_context("key \"defaults\"", [&] {
      const std::string no_folder;
      Job no_job;
      KeyReading read{no_folder, no_job, defaults};
      for (const JsonMember& member : members_of(entry, "an object")) {
        const bool is_known = with_context(cat("key \"", member.key, "\""),
                                           [&] { return read_of_table(read, member, kOfDefaults); });
        if (is_known) continue;
        throw Error(cat("unknown key \"", printable(member.key),
                        "\" (allowed: ", join(keys_in(kOfDefaults, nullptr)), ")"));
      }
      (void)parse_tolerances(read.shared.tolerances);
      defaults = std::move(read.shared);
    });
  }
}

Job read_job(const JsonObject& object, const std::string& file, const std::string& folder,
             const JobDefaults& defaults) {
  Job job;
  job.file = file;
  job.line = object.line;
  job.number = object.number;
  return with_context(job.location(), [&] {
    const JsonMember* const model = find_member(object, "model");
    std::optional<OnnxCall> call;
    if (model != nullptr) {
      call = with_context("key \"model\"", [&] {
        job.model = file_of(*model, folder);
        return read_onnx_call(job.model);
      });
      job.request.op = call->op;
    } else {
      job.request.op = operator_of(object, spec_of(object, defaults.spec));
      job.request.from_job = true;
    }
    const unsigned where = call ? kOfModel : kOfOperator;
    KeyReading read{folder, job, defaults, !call && names_several(spec_of(object, defaults.spec))};
    for (const JsonMember& member : object.members) {
      const bool is_known = with_context(cat("key \"", member.key, "\""), [&] {
        return read_of_operator(read, member, call.has_value()) || read_of_table(read, member, where);
      });
      if (!is_known) refuse_key(member.key, *job.request.op.op, keys_in(where, job.request.op.op));
    }
    if (call) {
      const Format* const text_format = job.request.text_format;
      job.request = with_context("key \"inputs\"",
                                 [&] { return request_of(*call, inputs_in_order(*call, read.inputs)); });
      job.request.text_format = text_format;
    } else {
      job.request.spec = read.shared.spec;
    }
    job.ignore_open = read.shared.ignore_open;
    const auto& tolerances = read.shared.tolerances;
    job.tolerances = parse_tolerances(tolerances);
    const auto own = std::span(tolerances).subspan(defaults.tolerances.size());
    job.tolerances.any_dtype = std::ranges::find(own, "max_ulp", &ToleranceText::name) == own.end();
    if (job.output && job.output->path == "-") throw Error("key \"format\" needs key \"output\"");
    if (job.output) with_context("key \"output\"", [&] { require_format(*job.output); });
    if (job.name.empty()) job.name = job.id.empty() ? job.location() : job.id;
    return std::move(job);
  });
}

std::string job_keys_markdown() {
  std::string out =
      "| key | meaning |\n| --- | --- |\n"
      "| an operand's name (`data`, `indices`, `a`, ...) | the operand |\n"
      "| an attribute's name, with underscores (`batch_dims`) | a number, `true`, `false`, a string, or a "
      "list of integers |\n";
  for (const JobKey& key : kKeys) out += cat("| `", key.name, "` | ", key.help, " |\n");
  for (const ToleranceKey& key : tolerance_keys()) out += cat("| `", key.name, "` | ", key.help, " |\n");
  std::vector<std::string> shared;
  for (const std::string& key : keys_in(kOfDefaults, nullptr)) shared.push_back(cat("`", key, "`"));
  return cat(out, "\nKeys of `defaults`: ", join(shared), ".\n");
}

}  // namespace tensorop
