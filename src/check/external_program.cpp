#include "check/external_program.hpp"

#include "base/error.hpp"
#include "base/exit_cleanup.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "engine/index_forms.hpp"
#include "jobs/call_text.hpp"

namespace tensorop {
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

void write_text(const std::string& path, const std::string& text) {
  OutputFile file = OutputFile::create(path);
  file.append(text_bytes(text));
  file.commit();
}

ProgramRun run_case(const Job& job, const ProgramSettings& program, const std::string& folder,
                    const Settings& settings) {
  const OpenedCall opened = open_call(job.request, settings);
  const LoadedCall call = load(job.request, opened);
  const std::string output = path_from(folder, "output.npy");
  const std::string description = path_from(folder, "case.jsonl");
  CommandValues values;
  for (const LoadedOperand& operand : call.operands) {
    const std::string path = path_from(folder, cat(word_of(operand), ".npy"));
    write_tensor(operand.tensor, opened.inputs, {path, find_format("npy")}, settings);
    values.inputs.push_back(path);
    values.named.push_back({word_of(operand), path});
    if (operand.name == kMaskName) values.named.push_back({"indices", path});
  }
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    if (!call.attributes[i].in_version) continue;
    const AttributeSpec& spec = call.op.op->attributes[i];
    values.named.push_back({std::string(spec.name), value_text(call.attributes[i], spec)});
  }
  for (const auto& [name, text] : std::vector<CommandValues::Value>{
           {"output", output},
           {"case", description},
           {"name", job.name},
           {"op", std::string(call.op.op->name)},
           {"spec", call.spec.value_or("")},
           {"attributes", attributes_json(call)},
       }) {
    values.named.push_back({name, text});
  }
  write_text(description, program_line(call, job.name, values.inputs, output, opened.call));

  ProgramRun run{.words = program.command.words(values), .end = {}, .result = {}};
  run.end = run_child(run.words, program.timeout);
  run.is_refused = run.end.has_declined();
  if (entry_exists(output)) run.result = output;
  return run;
}

}  // namespace tensorop
