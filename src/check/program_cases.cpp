#include "check/program_cases.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/checked.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/input_file.hpp"
#include "base/system/system.hpp"
#include "base/text/json_string.hpp"
#include "base/text/text.hpp"
#include "check/judge.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "engine/index_forms.hpp"
#include "jobs/call_text.hpp"

namespace tensorop {
namespace {

using Seconds = std::chrono::duration<double>;

// The beginning of the names of a case's files in the folder: the number of the case there, from 1.
std::string name_in_pack(std::size_t at) {
  return cat(at + 1);
}

// Whether the program has left something: a file of 0 bytes is nothing, because a program that fails may
// leave one.
bool is_written(const std::string& path) {
  struct stat info {};
  const bool is_empty = os().stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
  return !is_empty && entry_exists(path);
}

// The text that refuses a case; at most as much as is kept of a program's output.
std::string read_refusal(const std::string& path) {
  if (is_folder(path)) throw Error(cat(printable(path), ": is a folder"));
  require_regular_file(path);
  const InputFile file = InputFile::open(path);
  return std::string(bytes_text(file.bytes()).substr(0, ChildEnd::kMostOutput));
}

// How long ago the newest of these files was written, by the clock of the file system.
Seconds age_of_newest(const std::vector<std::string>& paths) {
  Seconds newest(0);
  for (const std::string& path : paths) {
    struct stat info {};
    if (os().lstat(path.c_str(), &info) != 0) continue;
    newest = std::max(newest, Seconds(std::chrono::seconds(info.st_mtim.tv_sec)) +
                                  Seconds(std::chrono::nanoseconds(info.st_mtim.tv_nsec)));
  }
  return std::max(Seconds(0), Seconds(std::chrono::system_clock::now().time_since_epoch()) - newest);
}

}  // namespace

ProgramCases::ProgramCases(const std::vector<Job>& jobs, const ProgramSettings& program,
                           const TemporaryEntry& folder, int concurrent)
    : jobs_(jobs), program_(program), folder_(folder), position_of_(jobs.size()), noted_(jobs.size()) {
  const auto is_run = [](const Job& job) {
    return job.is_case && !job.skipped && !job.fault && !is_of_versions(job);
  };
  const auto is_shared = [&](const Job& job) { return is_for_many() && job.needs.empty(); };
  const std::int64_t cases =
      std::ranges::count_if(jobs, [&](const Job& job) { return is_run(job) && is_shared(job); });
  const std::int64_t rounds = ceil_div(cases, concurrent * kMostCases);
  const std::int64_t cases_of_round = rounds == 0 ? 1 : ceil_div(cases, rounds);
  for (std::int64_t i = 0; i < rounds * concurrent; ++i) packs_.push_back(std::make_unique<Pack>());
  std::int64_t next = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!is_run(jobs[i])) continue;
    // Consecutive cases are in different packs: the first jobs of a round start all its processes.
    std::size_t pack = packs_.size();
    if (is_shared(jobs[i])) {
      pack = to_size(next / cases_of_round * concurrent + next % concurrent);
      ++next;
    } else {
      packs_.push_back(std::make_unique<Pack>());
    }
    position_of_[i] = {pack, packs_[pack]->entries.size()};
    packs_[pack]->entries.push_back({.job = i});
  }
  ArrayFiles shards;
  for (std::size_t i = 0; i < jobs.size(); ++i) note_files(i, shards);
}

std::optional<ProgramCases::FileState> ProgramCases::state_of(const std::string& path) {
  struct stat info {};
  if (os().stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileState{{info.st_dev, info.st_ino},
                   {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec},
                   {info.st_ctim.tv_sec, info.st_ctim.tv_nsec},
                   info.st_nlink};
}

// An array of an index of shards is in two files.
void ProgramCases::note_files(std::size_t i, ArrayFiles& shards) {
  for (const JobFile& file : jobs_[i].reads) {
    const auto note = [&](const std::string& path) {
      const auto& state = noted_[i].emplace_back(NotedFile{&file, path, state_of(path)}).state;
      if (state && file.use == JobFile::Use::golden) golden_of_.emplace(state->id, i);
    };
    for (const auto& [path, array] : possible_files(file.given)) {
      note(path);
      if (const auto shard = array.empty() ? path : shards.file_of(path, array); shard != path) note(shard);
    }
  }
}

void ProgramCases::require_own_result(std::size_t i, const std::string& result) {
  const auto id = file_id(result);
  if (!id) return;  // opening it says why
  const auto golden = golden_of_.find(*id);
  if (golden != golden_of_.end()) {
    throw Error(cat("the program's result is the golden file of ", jobs_[golden->second].location()), "",
                "a golden file that is compared with itself proves nothing");
  }
  const std::lock_guard lock(mutex_);
  const auto [other, is_new] = result_of_.emplace(*id, i);
  if (!is_new)
    throw Error(cat("the program's result is also the result of ", jobs_[other->second].location()));
}

void ProgramCases::require_unchanged(std::size_t i) const {
  for (const auto& [file, path, state] : noted_[i]) {
    if (state_of(path) == state) continue;
    throw Error(
        cat(file->key, ": ", printable(file->given.shown()), ": has changed since the program was started"));
  }
}

void ProgramCases::release(std::size_t i) {
  const Position at = position_of_[i];
  Pack& pack = *packs_[at.pack];
  if (++pack.released != pack.entries.size() || !pack.folder) return;
  // A file with no other name is gone with the folder, and another file may get its number.
  for (std::size_t n = 0; n < pack.entries.size(); ++n) {
    struct stat info {};
    const std::string path = files_of(pack, n)[0];
    if (os().lstat(path.c_str(), &info) != 0 || info.st_nlink != 1 || S_ISLNK(info.st_mode)) continue;
    const std::lock_guard lock(mutex_);
    result_of_.erase({info.st_dev, info.st_ino});
  }
  pack.folder.reset();
}

bool ProgramCases::is_after_crashes(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  if (crashed_.size() < program_.crashes) return false;
  return *std::next(crashed_.begin(), static_cast<std::ptrdiff_t>(program_.crashes) - 1) < i;
}

void ProgramCases::add_crash(std::size_t i) {
  const std::lock_guard lock(mutex_);
  crashed_.insert(i);
}

std::optional<ProgramRun> ProgramCases::run(std::size_t i, const Settings& settings) {
  const Position at = position_of_[i];
  Pack& pack = *packs_[at.pack];
  std::call_once(pack.once, [&] { run_pack(at.pack, settings); });
  Entry& entry = pack.entries[at.entry];
  if (entry.error) throw Failure(*entry.error);
  return std::exchange(entry.run, std::nullopt);
}

Request ProgramCases::take_call(std::size_t i) {
  const Position at = position_of_[i];
  std::optional<Request> call = std::exchange(packs_[at.pack]->entries[at.entry].call, std::nullopt);
  return call ? *std::move(call) : jobs_[i].request;
}

void ProgramCases::keep_call(Pack& pack, Entry& entry, const LoadedCall& call) const {
  std::int64_t bytes = 0;
  for (const auto& [name, role, tensor] : call.operands) {
    bytes += tensor.bytes();
    if (tensor.dtype() != DType::string) continue;
    for (const StringRef& element : tensor.strings()) bytes += element.size;
  }
  const auto is_stream = [](const NotedFile& file) { return is_other_file(file.path); };
  if (bytes <= pack.memory) {
    pack.memory -= bytes;
  } else if (is_for_many() && std::ranges::none_of(noted_[entry.job], is_stream)) {
    return;
  }
  entry.call = request_of(call);
  entry.call->declared = jobs_[entry.job].request.declared;
}

// An error of the whole pack is an error of each of its cases.
void ProgramCases::run_pack(std::size_t number, const Settings& settings) {
  Pack& pack = *packs_[number];
  try {
    pack.folder = std::make_unique<CaseScratch>(folder_, number);
    pack.memory = memory_of(settings) / 2;
    for (std::size_t at = 0; at < pack.entries.size(); ++at) {
      try {
        is_for_many() ? write_one_of_many(pack, at, settings) : write_case(pack, at, settings);
      } catch (const Failure& error) {
        pack.entries[at].error = std::make_shared<Failure>(error);
      }
    }
    run_entries(pack);
  } catch (const Failure& error) {
    for (Entry& entry : pack.entries) {
      if (!entry.error) entry.error = std::make_shared<Failure>(error);
    }
  }
}

// The operands as NPY files called by their names, and case.jsonl, a job file of one line (program_line()).
void ProgramCases::write_case(Pack& pack, std::size_t at, const Settings& settings) const {
  Entry& entry = pack.entries[at];
  const Job& job = jobs_[entry.job];
  const std::string& folder = pack.folder->path();
  const OpenedCall opened = open_call(job.request, settings);
  const LoadedCall call = load(job.request, opened);
  keep_call(pack, entry, call);
  const std::string output = files_of(pack, at)[0];
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
           {std::string(CommandTemplate::kOutput), output},
           {std::string(CommandTemplate::kRawOutput), output},
           {std::string(CommandTemplate::kCase), description},
           {"name", job.name},
           {"op", std::string(call.op.op->name)},
           {"spec", call.spec.value_or("")},
           {"attributes", attributes_json(call)},
       }) {
    values.named.push_back({name, text});
  }
  write_text(description, program_line(call, job.name, values.inputs, output, opened.call));
  entry.words = program_.command.words(values);
}

void ProgramCases::write_one_of_many(Pack& pack, std::size_t at, const Settings& settings) const {
  Entry& entry = pack.entries[at];
  const Job& job = jobs_[entry.job];
  Settings own = settings;
  own.warn = nullptr;  // of another case
  const OpenedCall opened = open_call(job.request, own);
  const std::string name = name_in_pack(at);
  const std::string& folder = pack.folder->path();
  const LoadedCall call = load(job.request, opened);
  keep_call(pack, entry, call);
  const WrittenCall written = write_call(call, opened.inputs, folder, cat(name, "."), own);
  entry.line =
      cat("{\"name\":", json_string(name), ",", written.job, ",\"output\":", json_string(cat(name, ".npy")),
          ",\"comment\":", json_string(job.name), "}\n");
  entry.words =
      program_.command.words({.inputs = {}, .named = {{std::string(CommandTemplate::kCases), folder}}});
}

// The two files of a case in the folder of its pack: the result, and the file that refuses the call, which a
// program of one case has not.
std::array<std::string, 2> ProgramCases::files_of(const Pack& pack, std::size_t at) const {
  if (!is_for_many())
    return {path_from(pack.folder->path(), program_.command.is_raw() ? "output.raw" : "output.npy"), ""};
  const std::string base = path_from(pack.folder->path(), name_in_pack(at));
  return {cat(base, ".npy"), cat(base, ".error")};
}

// Reads what the program has left for a case. Returns false if it has left nothing.
bool ProgramCases::take_left(Pack& pack, std::size_t at) const {
  Entry& entry = pack.entries[at];
  ProgramRun run{.words = entry.words, .end = {}, .result = {}};
  const auto [result, refusal] = files_of(pack, at);
  try {
    // Elements alone may be none.
    if (is_written(result) || (program_.command.is_raw() && entry_exists(result))) run.result = result;
    if (!refusal.empty() && is_written(refusal)) {
      run.is_refused = true;
      run.end.output = read_refusal(refusal);
    }
  } catch (const Failure& error) {
    run.fault = std::make_shared<Failure>(without_folder(error, pack.folder->path()));
  }
  const bool has_left = run.fault || run.is_refused || !run.result.empty();
  entry.run = std::move(run);
  return has_left;
}

// Runs one process for the waiting cases. The time limit counts from the last result.
ChildEnd ProgramCases::run_process(const Pack& pack, const std::vector<std::size_t>& waiting) const {
  const std::vector<std::string>& words = pack.entries[waiting[0]].words;
  if (!is_for_many()) return run_child(words, program_.timeout);
  std::string lines;
  for (const std::size_t at : waiting) lines += pack.entries[at].line;
  write_text(path_from(pack.folder->path(), "cases.jsonl"), lines);
  std::size_t known = 0;
  return run_child(words, program_.timeout, [&]() -> std::optional<Seconds> {
    std::vector<std::string> left;
    for (const std::size_t at : waiting) {
      for (const std::string& path : files_of(pack, at)) {
        if (entry_exists(path)) left.push_back(path);
      }
    }
    if (left.size() <= std::exchange(known, left.size())) return std::nullopt;
    return std::max<Seconds>(age_of_newest(left),
                             program_.timeout - (program_.until - std::chrono::steady_clock::now()));
  });
}

// A program takes the cases in their order. If it ends badly, it has failed at the last result, if that is
// not whole, or else at the first case for which it has left nothing, or at the last one; only that case has
// this end. The others without a file are given to another process, and are not run if there were too many
// such ends.
void ProgramCases::run_entries(Pack& pack) {
  std::vector<std::size_t> waiting;
  for (std::size_t at = 0; at < pack.entries.size(); ++at) {
    if (!pack.entries[at].error) waiting.push_back(at);
  }
  for (;;) {
    std::erase_if(waiting, [&](std::size_t at) { return is_after_crashes(pack.entries[at].job); });
    if (waiting.empty()) return;
    const ChildEnd end = run_process(pack, waiting);
    const std::size_t last = waiting.back();
    std::vector<std::size_t> left;
    std::ranges::copy_if(waiting, std::back_inserter(left),
                         [&](std::size_t at) { return !take_left(pack, at); });
    const bool is_bad = is_for_many() ? !end.has_succeeded() : !end.has_succeeded() && !end.has_declined();
    const bool ends_all = !is_bad || end.kind == ChildEnd::Kind::not_started;
    if (!is_for_many()) {
      pack.entries[last].run->end = end;
      pack.entries[last].run->is_refused = end.has_declined();
      if (end.has_declined() && !is_written(files_of(pack, last)[0])) pack.entries[last].run->result.clear();
    }
    std::size_t failed = left.empty() ? last : left[0];
    if (is_bad && is_for_many()) {
      const auto written = std::find_if(waiting.rbegin(), waiting.rend(), [&](std::size_t at) {
        return !pack.entries[at].run->result.empty();
      });
      if (written != waiting.rend()) {
        // A file without a tensor is cut: the program was writing it.
        std::string& result = pack.entries[*written].run->result;
        if (is_regular_file(result) && !holds_tensor(Operand::of_path(result))) {
          failed = *written;
          result.clear();
        }
      }
    }
    if (is_bad) pack.entries[failed].run->end = end;
    if (ends_all) {
      for (const std::size_t at : left) pack.entries[at].run->end = end;
      return;
    }
    add_crash(pack.entries[failed].job);
    std::erase(left, failed);
    for (const std::size_t at : left) pack.entries[at].run.reset();
    waiting = std::move(left);
  }
}

}  // namespace tensorop
