#include "jobs/job_keys.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/attributes.hpp"
#include "engine/mask.hpp"
#include "io/json/json_objects.hpp"
#include "io/onnx/onnx_model.hpp"
#include "io/source.hpp"
#include "jobs/onnx_call.hpp"
#include "ops/registry.hpp"
#include "ops/rule.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kCommonKeys[] = {"op",     "operands",     "reshape",     "spec",   "dtype",
                                            "output", "input_format", "format",      "id",     "name",
                                            "expect", "actual",       "ignore_open", "comment"};
// Of a job that calls a model.
constexpr std::string_view kModelKeys[] = {"model", "inputs", "input_format", "output",      "format", "id",
                                           "name",  "expect", "actual",       "ignore_open", "comment"};

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

// "2,3,4" of [2, 3, 4]; nothing where it is not a list of plain numbers.
std::optional<std::string> list_text(std::string_view json) {
  std::string inner(json.substr(1, json.size() - 2));
  std::erase_if(inner, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return is_plain_list(inner) ? std::optional(inner) : std::nullopt;
}

NamedText attribute_of(const JsonMember& member, AttributeKind kind, const std::string& folder) {
  NamedText out{member.key, std::string(member.value.text)};
  const bool is_text = member.kind == JsonKind::string;
  const bool is_number = member.kind == JsonKind::number;
  switch (kind) {
    case AttributeKind::integer:
      if (!is_number && !is_text) refuse(member, "an integer");
      break;
    case AttributeKind::boolean:
    case AttributeKind::flag:
      if (!is_number && !is_text && member.kind != JsonKind::boolean) refuse(member, "true or false");
      break;
    case AttributeKind::choice:
      if (!is_number && !is_text) refuse(member, "a word");
      break;
    case AttributeKind::integers:
      if (member.kind == JsonKind::null || member.kind == JsonKind::boolean) {
        refuse(member, "a list of integers");
      }
      if (member.kind == JsonKind::list) {
        if (auto listed = list_text(member.value.text)) return {member.key, std::move(*listed)};
        return {member.key, {}, member.value};
      }
      if (member.kind == JsonKind::object) return {member.key, {}, member.value};
      if (is_text && !out.text.empty() && !is_plain_list(out.text)) {
        if (out.text.starts_with('@')) throw Error("only operands can be the result of another job");
        OperandText operand = operand_of(member, folder);
        return {member.key, std::move(operand.text), std::move(operand.json)};
      }
      break;
  }
  return out;
}

// The items of the list in "operands".
std::vector<OperandText> operands_of(const JsonMember& member, const std::string& folder) {
  if (member.kind != JsonKind::list) refuse(member, "a list of operands");
  std::vector<OperandText> out;
  for (const JsonMember& item : read_json_items(member.value)) out.push_back(operand_of(item, folder));
  return out;
}

// {"data": [2, -1], "indices": "-1,1"}.
std::vector<NamedText> reshapes_of(const JsonMember& member) {
  if (member.kind != JsonKind::object) refuse(member, "an object of shapes");
  std::vector<NamedText> out;
  for (const JsonMember& shape : read_json_members(member.value, "reshape")) {
    const bool is_shape =
        shape.kind == JsonKind::list || shape.kind == JsonKind::string || shape.kind == JsonKind::number;
    if (!is_shape) with_context(in_quotes(shape.key), [&] { refuse(shape, "a shape"); });
    std::string list(shape.value.text);
    std::erase_if(list, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    out.push_back({shape.key, std::move(list)});
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

bool is_tolerance(const JsonMember& member) {
  return std::ranges::find(tolerance_names(), member.key) != tolerance_names().end();
}

ToleranceText tolerance_of(const JsonMember& member) {
  if (member.kind == JsonKind::null || member.kind == JsonKind::list || member.kind == JsonKind::object) {
    refuse(member, "a number or a word");
  }
  return {member.key, std::string(member.value.text)};
}

// The inputs of a model, {"x": "x.npy"}: an operand for each.
std::vector<OperandText> inputs_of(const JsonMember* member, const OnnxCall& call,
                                   const std::string& folder) {
  std::vector<std::optional<OperandText>> found(call.inputs.size());
  if (member != nullptr) {
    if (member->kind != JsonKind::object) refuse(*member, "an object of operands");
    for (const JsonMember& input : read_json_members(member->value, "inputs")) {
      const auto at = std::ranges::find(call.inputs, input.key, &OnnxInput::name);
      if (at == call.inputs.end()) {
        std::vector<std::string> names;
        for (const OnnxInput& known : call.inputs) names.push_back(printable(known.name));
        throw Error(
            cat("the model has no input \"", printable(input.key), "\" (its inputs: ", join(names), ")"));
      }
      found[static_cast<std::size_t>(at - call.inputs.begin())] =
          with_context(cat("\"", printable(input.key), "\""), [&] { return operand_of(input, folder); });
    }
  }
  std::vector<OperandText> out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) throw Error(cat("input \"", printable(call.inputs[i].name), "\" of the model is missing"));
    out.push_back(*std::move(found[i]));
  }
  return out;
}

// The call of the model in a file.
OnnxCall read_call(const std::string& path) {
  const OnnxModel model = read_onnx_model(path);
  auto call = with_context(printable(path), [&] { return call_of_model(model); });
  if (const auto* skipped = std::get_if<Skipped>(&call))
    throw Error(cat(printable(path), ": cannot be called: ", skipped->reason));
  return std::get<OnnxCall>(std::move(call));
}

const JsonMember* find_member(const JsonObject& object, std::string_view key) {
  const auto found = std::ranges::find(object.members, key, &JsonMember::key);
  return found == object.members.end() ? nullptr : &*found;
}

// Reads members of one job.
class JobReader {
 public:
  // `has_model`: the call is that of a model.
  JobReader(const std::string& folder, bool has_model, Job& job)
      : op_(*job.request.op.op), folder_(folder), has_model_(has_model), job_(job) {}

  // False where the key is unknown. Throws Error without the key.
  bool read(const JsonMember& member) {
    if (has_model_) return read_of_model(member) || read_of_result(member);
    return read_of_operator(member) || read_of_call(member) || read_of_result(member);
  }

  // Once all members are read.
  void finish(const JobDefaults& defaults) {
    if (!job_.request.spec) job_.request.spec = defaults.spec;  // a model has its own
    job_.ignore_open = ignore_open_.value_or(defaults.ignore_open);
    const bool has_own_ulp =
        std::ranges::find(tolerances_, "max_ulp", &ToleranceText::name) != tolerances_.end();
    std::vector<ToleranceText> all = defaults.tolerances;
    all.insert(all.end(), tolerances_.begin(), tolerances_.end());
    job_.tolerances = parse_tolerances(all);
    job_.tolerances.any_dtype = !has_own_ulp;
  }

  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> out;
    if (has_model_) {
      out.assign(std::begin(kModelKeys), std::end(kModelKeys));
      out.insert(out.end(), tolerance_names().begin(), tolerance_names().end());
      return out;
    }
    for (const OperandSpec& operand : op_.operands) out.emplace_back(operand.name);
    if (op_.mask != MaskUse::none) out.emplace_back(kMaskName);
    for (const AttributeSpec& attribute : op_.attributes) out.emplace_back(attribute.name);
    if (!op_.oob.empty()) out.emplace_back("oob");
    if (!op_.duplicates.empty()) out.emplace_back("duplicates");
    out.insert(out.end(), std::begin(kCommonKeys), std::end(kCommonKeys));
    out.insert(out.end(), tolerance_names().begin(), tolerance_names().end());
    return out;
  }

 private:
  bool read_of_model(const JsonMember& member) {
    // Read first and last: the model decides which keys are allowed.
    if (member.key == "model" || member.key == "inputs") return true;
    if (member.key == "input_format") {
      job_.request.text_format = read_text_format(text_of(member, "a format"));
      return true;
    }
    const bool is_of_call =
        member.key == "op" || member.key == "spec" || member.key == "operands" ||
        find_attribute(op_, member.key) != nullptr ||
        std::ranges::find(op_.operands, member.key, &OperandSpec::name) != op_.operands.end();
    if (is_of_call) throw Error("cannot be combined with \"model\"");
    return false;
  }

  bool read_of_operator(const JsonMember& member) {
    const bool is_mask = member.key == kMaskName && op_.mask != MaskUse::none;
    if (is_mask || std::ranges::find(op_.operands, member.key, &OperandSpec::name) != op_.operands.end()) {
      OperandText operand = operand_of(member, folder_);
      job_.request.named.push_back({member.key, std::move(operand.text), std::move(operand.json)});
    } else if (const AttributeSpec* attribute = find_attribute(op_, member.key)) {
      job_.request.attributes.push_back(attribute_of(member, attribute->kind, folder_));
    } else if (member.key == "operands") {
      job_.request.positional = operands_of(member, folder_);
    } else if (member.key == "reshape") {
      job_.request.reshapes = reshapes_of(member);
    } else {
      return false;
    }
    return true;
  }

  bool read_of_call(const JsonMember& member) {
    Request& request = job_.request;
    if (member.key == "op") return true;  // read first: it decides which keys are allowed
    if (member.key == "spec") {
      request.spec = text_of(member, "a specification");
    } else if (member.key == "dtype") {
      request.dtype = text_of(member, "a dtype name");
    } else if (member.key == "input_format") {
      request.text_format = read_text_format(text_of(member, "a format"));
    } else if (member.key == "oob" && !op_.oob.empty()) {
      request.oob = text_of(member, "a word");
    } else if (member.key == "duplicates" && !op_.duplicates.empty()) {
      request.duplicates = text_of(member, "a word");
    } else {
      return false;
    }
    return true;
  }

  bool read_of_result(const JsonMember& member) {
    if (member.key == "id") {
      job_.id = text_of(member, "a name");
    } else if (member.key == "name") {
      job_.name = text_of(member, "a name");
    } else if (member.key == "output") {
      set_path(destination(), file_of(member, folder_));
      // As an operand it is a tensor, or becomes one when the file does not exist.
      if (looks_like_json(member.value.text)) {
        const std::string shown = printable(member.value.text);
        throw Error(cat(shown, " would be read as a tensor when it is an operand: write ./", shown));
      }
    } else if (member.key == "format") {
      destination().format = find_format(text_of(member, "a format"));
      if (destination().format == nullptr) {
        throw Error(cat(in_quotes(member.value.text), " is not one of ", join(format_names())));
      }
    } else if (member.key == "expect") {
      job_.expect = expectation_of(member, folder_);
    } else if (member.key == "ignore_open") {
      ignore_open_ = boolean_of(member);
    } else if (member.key == "actual") {
      job_.actual = file_of(member, folder_);
    } else if (is_tolerance(member)) {
      tolerances_.push_back(tolerance_of(member));
    } else if (member.key != "comment") {
      return false;
    }
    return true;
  }

  Destination& destination() {
    if (!job_.output) job_.output = Destination();
    return *job_.output;
  }

  const Operator& op_;
  const std::string& folder_;
  bool has_model_;
  Job& job_;
  std::vector<ToleranceText> tolerances_;
  std::optional<bool> ignore_open_;
};

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

FoundOperator operator_of(const JsonObject& object) {
  const JsonMember* const op = find_member(object, "op");
  if (op == nullptr) throw Error("key \"op\" is missing");
  return with_context("key \"op\"", [&] {
    const FoundOperator found = find_operator(text_of(*op, "an operator name"));
    if (found.op != nullptr) return found;
    const std::string near = nearest(op->value.text, operator_names());
    throw Error(cat("unknown operator ", in_quotes(op->value.text),
                    near.empty() ? "" : cat(" (did you mean ", near, "?)")));
  });
}

[[noreturn]] void refuse_key(const std::string& key, const Operator& op,
                             const std::vector<std::string>& keys) {
  const std::string near = nearest(key, keys);
  throw Error(cat("unknown key \"", printable(key), "\" of ", op.name, " (",
                  near.empty() ? cat("allowed: ", join(keys)) : cat("did you mean \"", near, "\"?"), ")"));
}

}  // namespace

bool is_defaults(const JsonObject& object) {
  return std::ranges::find(object.members, "defaults", &JsonMember::key) != object.members.end();
}

void read_defaults(const JsonObject& object, JobDefaults& defaults) {
  for (const JsonMember& entry : object.members) {
    if (entry.key == "comment") continue;
    if (entry.key != "defaults") {
      throw Error(cat("key \"", entry.key, "\": \"defaults\" cannot be combined with another key"));
    }
    with_context("key \"defaults\"", [&] {
      if (entry.kind != JsonKind::object) refuse(entry, "an object");
      std::vector<ToleranceText> tolerances;
      for (const JsonMember& member : read_json_members(entry.value, "defaults")) {
        if (member.key == "comment") continue;
        if (member.key == "spec") {
          defaults.spec = with_context("key \"spec\"", [&] { return text_of(member, "a specification"); });
        } else if (member.key == "ignore_open") {
          defaults.ignore_open = with_context("key \"ignore_open\"", [&] { return boolean_of(member); });
        } else if (is_tolerance(member)) {
          with_context(cat("key \"", member.key, "\""), [&] { tolerances.push_back(tolerance_of(member)); });
        } else {
          throw Error(cat("unknown key \"", printable(member.key), "\" (allowed: spec, ignore_open, ",
                          join(tolerance_names()), ", comment)"));
        }
      }
      (void)parse_tolerances(tolerances);
      defaults.tolerances.insert(defaults.tolerances.end(), tolerances.begin(), tolerances.end());
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
        return read_call(job.model);
      });
      job.request.op = call->op;
    } else {
      job.request.op = operator_of(object);
      job.request.from_job = true;
    }
    JobReader reader(folder, model != nullptr, job);
    for (const JsonMember& member : object.members) {
      bool known = false;
      try {
        known = reader.read(member);
      } catch (Failure& error) {
        error.add_context(cat("key \"", member.key, "\""));
        throw;
      }
      if (!known) refuse_key(member.key, *job.request.op.op, reader.keys());
    }
    if (call) {
      const Format* const text_format = job.request.text_format;
      job.request = with_context("key \"inputs\"", [&] {
        return request_of(*call, inputs_of(find_member(object, "inputs"), *call, folder));
      });
      job.request.text_format = text_format;
    }
    reader.finish(defaults);
    if (job.output && job.output->path == "-") throw Error("key \"format\" needs key \"output\"");
    if (job.output) with_context("key \"output\"", [&] { require_format(*job.output); });
    if (job.name.empty()) job.name = job.id.empty() ? job.location() : job.id;
    return std::move(job);
  });
}

}  // namespace tensorop
