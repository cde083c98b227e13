#include "golden/program.hpp"

#include <algorithm>
#include <span>
#include <variant>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, is_utf8(text) ? std::string(text) : printable(text));
  return out;
}

// {"key":value,...} of keys and JSON.
std::string object(const std::vector<CommandValues::Value>& members) {
  std::string out;
  for (const auto& [name, json] : members) out += cat(out.empty() ? "" : ",", quoted(name), ":", json);
  return cat("{", out, "}");
}

// The text of an attribute, as on the command line; empty where it has no value.
std::string text_of(const Attribute& attribute, const AttributeSpec& spec) {
  struct Text {
    const AttributeSpec& spec;
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(std::int64_t value) const { return cat(value); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const ChosenWord& word) const { return std::string(spec.choices[word.at].word); }
    std::string operator()(const Shape& values) const {
      std::string out;
      for (const std::int64_t value : values) out += cat(out.empty() ? "" : ",", value);
      return values.empty() ? "[]" : out;
    }
  };
  return std::visit(Text{spec}, attribute.value);
}

// The same as JSON, of an attribute that has a value.
std::string json_of(const Attribute& attribute, const AttributeSpec& spec) {
  const std::string text = text_of(attribute, spec);
  if (std::holds_alternative<ChosenWord>(attribute.value)) return quoted(text);
  return std::holds_alternative<Shape>(attribute.value) && text != "[]" ? cat("[", text, "]") : text;
}

// The attributes that the version has, those with a value.
std::string attributes_json(const Job& job, const Call& call) {
  std::vector<CommandValues::Value> members;
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const Attribute& attribute = call.attributes[i];
    if (!attribute.in_version || std::holds_alternative<std::monostate>(attribute.value)) continue;
    const AttributeSpec& spec = call.op->attributes[i];
    members.push_back({std::string(spec.name), json_of(attribute, spec)});
  }
  if (job.request.oob) members.push_back({"oob", quoted(lower(*job.request.oob))});
  return object(members);
}

// Null where the call is an error.
std::string output_dtype(const Call& call) {
  try {
    return quoted(name(call.op->plan(call).output.dtype));
  } catch (const Error&) {
    return "null";
  }
}

std::string case_json(const Job& job, const Call& call, const CommandValues& values,
                      const std::vector<CommandValues::Value>& operands, const std::string& output) {
  std::vector<CommandValues::Value> dtypes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    dtypes.push_back({operands[i].name, quoted(name(call.operands[i].dtype()))});
  }
  std::string inputs;
  for (const std::string& input : values.inputs) inputs += cat(inputs.empty() ? "" : ",", quoted(input));
  return object({{"name", quoted(job.name)},
                 {"op", quoted(call.op->name)},
                 {"spec", job.request.spec ? quoted(lower(*job.request.spec)) : "null"},
                 {"published", call.strict() ? quoted(call.version->published) : "null"},
                 {"inputs", cat("[", inputs, "]")},
                 {"operands", object(operands)},
                 {"dtypes", object(dtypes)},
                 {"attributes", attributes_json(job, call)},
                 {"output", quoted(output)},
                 {"output_dtype", output_dtype(call)}});
}

void write_text(const std::string& path, const std::string& text) {
  OutputFile file = OutputFile::create(path);
  file.append(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace

ProgramRun run_case(const Job& job, const ProgramSettings& program, const std::string& folder,
                    const Settings& settings) {
  const OpenedCall opened = open_call(job.request, settings);
  const Call& call = opened.call;
  const std::string output = path_from(folder, "output.npy");
  const std::string description = path_from(folder, "case.json");
  CommandValues values;
  std::vector<CommandValues::Value> operands;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    std::string name = call.operand_name(i);
    std::ranges::replace(name, ' ', '_');
    const std::string path = path_from(folder, cat(name, ".npy"));
    write_tensor(call.operands[i], opened.inputs, {path, find_format("npy")}, settings);
    values.inputs.push_back(path);
    values.named.push_back({name, path});
    operands.push_back({std::move(name), quoted(path)});
  }
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    if (!call.attributes[i].in_version) continue;
    const AttributeSpec& spec = call.op->attributes[i];
    values.named.push_back({std::string(spec.name), text_of(call.attributes[i], spec)});
  }
  for (const auto& [name, text] : std::vector<CommandValues::Value>{
           {"output", output},
           {"case", description},
           {"name", job.name},
           {"op", std::string(call.op->name)},
           {"spec", lower(job.request.spec.value_or(""))},
           {"attributes", attributes_json(job, call)},
       }) {
    values.named.push_back({name, text});
  }
  write_text(description, cat(case_json(job, call, values, operands, output), "\n"));

  ProgramRun run{program.command.words(values), {}, {}};
  run.end = run_child(run.words, program.timeout);
  if (file_exists(output)) run.result = output;
  return run;
}

}  // namespace tensorop
