#include "jobs/job_keys.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "engine/index_forms.hpp"
#include "engine/version.hpp"
#include "explain/verdicts.hpp"
#include "io/json/json_objects.hpp"
#include "io/source.hpp"
#include "jobs/job_values.hpp"
#include "jobs/onnx_call.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

const JsonMember* find_member(const JsonObject& object, std::string_view key) {
  const auto found = std::ranges::find(object.members, key, &JsonMember::key);
  return found == object.members.end() ? nullptr : &*found;
}

// The destination of the members that are read.
struct KeyReading {
  const std::string& folder;
  Job& job;
  JobDefaults shared;  // keys that "defaults" may have too
  bool is_of_versions = false;
  std::vector<ToleranceText> tolerances = {};
  std::vector<NamedText> inputs = {};  // inputs of a model
  const JsonMember* dtypes = nullptr;

  [[nodiscard]] Destination& output() const {
    if (!job.output) job.output = Destination();
    return *job.output;
  }
};

void read_expectation(KeyReading& to, const JsonMember& member) {
  // One expectation of all versions has a key that is no version.
  const auto is_own_key = [](const JsonMember& one) {
    return one.key == "error" || one.key == "data" || one.key == "dtype" || one.key == "shape";
  };
  if (!to.is_of_versions || member.kind != JsonKind::object ||
      std::ranges::any_of(read_json_members(member.value, member.key), is_own_key)) {
    to.job.expect = expectation_of(member, to.folder);
    return;
  }
  // Format: {"onnx-13": {"error": "IX-1"}, "openvino-8": [50,0]}.
  to.job.expect_of_versions = read_members<VersionExpectation>(
      member, "an object of versions, each with what is expected", [&](const JsonMember& one) {
        return VersionExpectation{one.key, expectation_of(one, to.folder)};
      });
}

void read_output(KeyReading& to, const JsonMember& member) {
  set_path(to.output(), file_of(member, to.folder));
  // As an operand the text is a tensor, or becomes one if the file does not exist.
  if (!Operand(std::string(member.value.text)).may_be_json()) return;
  const std::string shown = printable(member.value.text);
  throw Error(cat(shown, " would be read as a tensor when it is an operand: write ./", shown));
}

bool is_operand_name(const Operator& op, const std::string& name) {
  return std::ranges::find(op.operands, name, &OperandSpec::name) != op.operands.end();
}

// Format: {"a":1,"b":2,"operand_3":3}.
void read_operands(KeyReading& to, const JsonMember& member) {
  Request& request = to.job.request;
  if (member.kind != JsonKind::object) {
    request.positional = operands_of(member, to.folder);
    return;
  }
  const Operator& op = *request.op.op;
  std::vector<NamedText> operands = read_members<NamedText>(
      member, "", [&](const JsonMember& one) { return named_operand_of(one, to.folder); });
  for (NamedText& operand : operands) {
    const bool is_mask = op.mask != MaskUse::none && operand.name == kMaskName;
    if (is_mask || is_operand_name(op, operand.name)) {
      request.named.push_back(std::move(operand));
    } else if (op.operands.back().variadic && operand.name == cat("operand_", &operand - &operands[0] + 1)) {
      request.positional.push_back(std::move(operand));
    } else {
      throw Error(cat(in_quotes(operand.name), " is no operand of ", op.name));
    }
  }
}

void read_format(KeyReading& to, const JsonMember& member) {
  to.output().format = find_format(text_of(member, "a format"));
  if (to.output().format != nullptr) return;
  throw Error(cat(in_quotes(member.value.text), " is not one of ", join(format_names())));
}

// The places in which a key is allowed.
constexpr unsigned kOfOperator = 1;  // jobs with "op"
constexpr unsigned kOfModel = 2;     // jobs with "model"
constexpr unsigned kOfDefaults = 4;  // the object "defaults"
constexpr unsigned kOfJob = kOfOperator | kOfModel;
constexpr unsigned kAnywhere = kOfJob | kOfDefaults;

struct JobKey {
  std::string_view name;
  unsigned where;
  std::string_view help;  // in Markdown
  // Null: the key is read before all others, and decides which of them are allowed.
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
     "than two; or an object of operands by their names",
     read_operands},
    {"attributes", kOfOperator,
     "an object of attributes by their names: the values of those without a key of their own. One that has "
     "its "
     "default value counts as not given",
     [](KeyReading&, const JsonMember&) {}},  // read_attributes()
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
    {"dtypes", kOfOperator,
     "the dtypes that operands have: an object with one for each name, or a list beside a list `operands`. A "
     "file of "
     "another dtype is an error",
     [](KeyReading& to, const JsonMember& member) { to.dtypes = &member; }},  // read_dtypes()
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
     "of a case: the expected tensor, a golden file, or `{\"error\":RULE}`; under several versions one of "
     "these for all, or an object with one for each version that is to have it",
     read_expectation},
    {"actual", kOfJob, "of a case: the file with the result of another program",
     [](KeyReading& to, const JsonMember& member) { to.job.actual = file_of(member, to.folder); }},
    {"ignore_open", kAnywhere, "of a case: do not compare elements that the specification leaves open",
     [](KeyReading& to, const JsonMember& member) { to.shared.ignore_open = boolean_of(member); }},
    {"comment", kAnywhere, "any value, ignored", [](KeyReading&, const JsonMember&) {}},
};

// Returns the keys that are allowed in this place, for messages; `op` is the job's operator, if it has one.
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
  for (const ToleranceKey& key : tolerance_keys()) out.emplace_back(key.name);
  return out;
}

// Reads an operand or an attribute by name. Returns false if the operator has none with this name.
bool read_of_operator(KeyReading& to, const JsonMember& member, bool has_model) {
  const Operator& op = *to.job.request.op.op;
  const bool is_operand = is_operand_name(op, member.key);
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

// Reads a key of the table, or a tolerance. Returns false if neither is allowed in this place.
bool read_of_table(KeyReading& to, const JsonMember& member, unsigned where) {
  if (find_tolerance(member.key) != nullptr) {
    to.tolerances.push_back(tolerance_of(member));
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

bool is_default(const NamedText& given, const AttributeSpec& spec, std::string_view standard) {
  const std::string text = given.shown();
  const bool is_flag = spec.kind == AttributeKind::boolean || spec.kind == AttributeKind::flag;
  return text == standard ||
         (is_flag && !standard.empty() && (text == "true") == (standard == "1" || standard == "true"));
}

// Reads the key "attributes". An attribute's own key may repeat the value.
void read_attributes(KeyReading& to, const JsonObject& object) {
  const JsonMember* const all = find_member(object, "attributes");
  if (all == nullptr) return;
  Request& request = to.job.request;
  const Version* const version = version_of(request);
  with_context("key \"attributes\"", [&] {
    for (const JsonMember& member : members_of(*all, "an object of attributes")) {
      const JsonMember* const own = find_member(object, member.key);
      const AttributeSpec* const attribute = find_attribute(*request.op.op, member.key);
      if (attribute == nullptr && (own == nullptr || member.key != "oob"))
        throw Error(cat(in_quotes(member.key), " is no attribute of ", request.op.op->name));
      if (own != nullptr && own->value.text != member.value.text)
        throw Error(cat(in_quotes(member.key), " is not what the key of that name says"));
      if (own != nullptr) continue;
      NamedText given = attribute_of(member, attribute->kind, to.folder);
      if (!is_default(given, *attribute, default_of(*attribute, request, version)))
        request.attributes.push_back(std::move(given));
    }
  });
}

// Changes the hint to name the key instead of the option.
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

// Reads the keys "spec" and "op" of a job: the operator has a name of the specification's publisher, or any
// other. The option --spec is the specification of a job that has none.
void read_operator(KeyReading& to, const JsonObject& object) {
  Request& request = to.job.request;
  request.spec = to.shared.spec;
  const JsonMember* const spec = find_member(object, "spec");
  if (spec != nullptr && spec->kind == JsonKind::string) request.spec = std::string(spec->value.text);
  to.is_of_versions = is_of_versions(to.job);
  if (to.is_of_versions && to.shared.only_spec)
    throw Error("a case of several versions cannot be combined with --spec");
  if (!request.spec) request.spec = to.shared.only_spec;
  const JsonMember* const op = find_member(object, "op");
  if (op == nullptr) throw Error("key \"op\" is missing");
  request.op = with_context("key \"op\"", [&] {
    return require_operator(text_of(*op, "an operator name"), request.spec.value_or(""));
  });
  // Under --spec a case that gives data means the operator itself, which call_under() writes for the version.
  const bool is_shared = spec == nullptr && !to.shared.spec;
  if (is_shared && request.op.name->makes_data && find_member(object, request.op.op->operands[0].name)) {
    request.spec.reset();
    request.op.name = request.op.op->names.data();
  }
  request.from_job = true;
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
      read.shared.tolerances = join_tolerances(std::move(read.shared.tolerances), read.tolerances);
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
    KeyReading read{folder, job, defaults};
    const JsonMember* const model = find_member(object, "model");
    std::optional<OnnxCall> call;
    if (model != nullptr) {
      call = with_context("key \"model\"", [&] {
        job.model = file_of(*model, folder).path;
        return read_onnx_call(job.model);
      });
      job.request.op = call->op;
    } else {
      read_operator(read, object);
    }
    const unsigned where = call ? kOfModel : kOfOperator;
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
      read_attributes(read, object);
      if (read.dtypes != nullptr)
        with_context("key \"dtypes\"", [&] { read_dtypes(*read.dtypes, job.request); });
    }
    if (defaults.only_spec) job.request = call_under(job.request, *defaults.only_spec);
    job.ignore_open = read.shared.ignore_open;
    const std::vector<ToleranceText>& own = read.tolerances;
    Tolerances tolerances = parse_tolerances(join_tolerances(defaults.tolerances, own));
    tolerances.any_dtype = std::ranges::find(own, "max_ulp", &ToleranceText::name) == own.end();
    job.tolerances = std::make_shared<Tolerances>(std::move(tolerances));
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
  std::vector<std::string> tolerances;
  for (const ToleranceKey& key : tolerance_keys()) tolerances.emplace_back(key.name);
  const auto code = [](const std::string& key) { return cat("`", key, "`"); };
  out += cat("| ", join(tolerances, ", ", code),
             " | of a case: the [tolerances](compare.md#tolerances), by the names of the options; flags are "
             "`true` or `false` |\n");
  return cat(out, "\nKeys of `defaults`: ", join(keys_in(kOfDefaults, nullptr), ", ", code), ".\n");
}

}  // namespace tensorop
