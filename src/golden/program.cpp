#include "golden/program.hpp"

#include <algorithm>
#include <variant>

#include "base/error.hpp"
#include "base/exit_cleanup.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "golden/plain_call.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {
namespace {

// {"key":value,...} of keys and JSON.
std::string json_object(const std::vector<CommandValues::Value>& members) {
  std::string out;
  for (const auto& [name, json] : members) out += cat(out.empty() ? "" : ",", json_string(name), ":", json);
  return cat("{", out, "}");
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
  if (job.request.oob) members.push_back({"oob", json_string(lower(*job.request.oob))});
  return json_object(members);
}

// Null where the call is an error.
std::string output_dtype(const Call& call) {
  try {
    return json_string(name(call.op->plan(call).output.dtype));
  } catch (const Error&) {
    return "null";
  }
}

std::string case_json(const Job& job, const Call& call, const CommandValues& values,
                      const std::vector<CommandValues::Value>& operands, const std::string& output) {
  std::vector<CommandValues::Value> dtypes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    dtypes.push_back({operands[i].name, json_string(name(call.operands[i].dtype()))});
  }
  std::string inputs;
  for (const std::string& input : values.inputs) inputs += cat(inputs.empty() ? "" : ",", json_string(input));
  return json_object({{"name", json_string(job.name)},
                      {"op", json_string(call.op->name)},
                      {"spec", job.request.spec ? json_string(lower(*job.request.spec)) : "null"},
                      {"published", call.strict() ? json_string(call.version->published) : "null"},
                      {"inputs", cat("[", inputs, "]")},
                      {"operands", json_object(operands)},
                      {"dtypes", json_object(dtypes)},
                      {"attributes", attributes_json(job, call)},
                      {"output", json_string(output)},
                      {"output_dtype", output_dtype(call)}});
}

}  // namespace

CaseScratch::CaseScratch(const TemporaryEntry& folder, std::size_t number)
    : path_(path_from(folder.path(), cat(number))) {
  constexpr mode_t kPrivate = 0700;
  // Not while a signal removes the outer folder.
  const CleanupLock lock;
  if (os().mkdir(path_.c_str(), kPrivate) != 0) throw_errno(path_, "cannot create a directory");
}

CaseScratch::~CaseScratch() {
  remove_tree(path_.c_str());
}

Failure without_folder(const Failure& error, const std::string& folder) {
  const std::string shown = printable(path_from(folder, ""));
  std::string line = error.what();
  const std::size_t at = line.find(shown);
  if (at == std::string::npos || !error.rule().empty()) return error;
  return Failure(line.erase(at, shown.size()), "", error.hint(), error.details());
}

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
    operands.push_back({std::move(name), json_string(path)});
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

  ProgramRun run{.words = program.command.words(values), .end = {}, .result = {}};
  run.end = run_child(run.words, program.timeout);
  run.is_refused = run.end.has_declined();
  if (entry_exists(output)) run.result = output;
  return run;
}

}  // namespace tensorop
