#include "check/many_cases.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/files/folder_walk.hpp"
#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "engine/bind.hpp"
#include "io/json/json_writer.hpp"
#include "jobs/call_text.hpp"

namespace tensorop {
namespace {

using Seconds = std::chrono::duration<double>;

// The beginning of the names of a case's files in the folder: the number of the case there, from 1.
std::string name_in_pack(std::size_t at) {
  return cat(at + 1);
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

ManyCases::ManyCases(const std::vector<Job>& jobs, const ProgramSettings& program,
                     const TemporaryEntry& folder, int concurrent)
    : jobs_(jobs), program_(program), folder_(folder), position_of_(jobs.size()) {
  const auto is_run = [](const Job& job) { return job.is_case && !job.skipped && !job.fault; };
  const auto cases = static_cast<std::size_t>(
      std::ranges::count_if(jobs, [&](const Job& job) { return is_run(job) && job.needs.empty(); }));
  const std::size_t shared =
      std::min(cases, std::max(static_cast<std::size_t>(concurrent), (cases + kMostCases - 1) / kMostCases));
  for (std::size_t i = 0; i < shared; ++i) packs_.push_back(std::make_unique<Pack>());
  std::size_t next = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!is_run(jobs[i])) continue;
    // Consecutive cases are in different packs: the first jobs to run start all processes.
    std::size_t pack = packs_.size();
    if (jobs[i].needs.empty()) {
      pack = next++ % shared;
    } else {
      packs_.push_back(std::make_unique<Pack>());
    }
    position_of_[i] = {pack, packs_[pack]->entries.size()};
    packs_[pack]->entries.push_back({.job = i});
  }
}

ProgramRun ManyCases::run(std::size_t i, const Settings& settings) {
  const Position at = position_of_[i];
  Pack& pack = *packs_[at.pack];
  std::call_once(pack.once, [&] { run_pack(at.pack, settings); });
  Entry& entry = pack.entries[at.entry];
  if (entry.error) throw Failure(*entry.error);
  return std::move(entry.run);
}

// An error of the whole pack is an error of each of its cases.
void ManyCases::run_pack(std::size_t number, const Settings& settings) {
  Pack& pack = *packs_[number];
  try {
    pack.folder = std::make_unique<CaseScratch>(folder_, number);
    for (std::size_t at = 0; at < pack.entries.size(); ++at) {
      try {
        write_case(pack, at, settings, pack.entries[at]);
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

void ManyCases::write_case(const Pack& pack, std::size_t at, const Settings& settings, Entry& entry) const {
  const Job& job = jobs_[entry.job];
  Settings own = settings;
  own.warn = nullptr;  // of another case
  const OpenedCall opened = open_call(job.request, own);
  const std::string name = name_in_pack(at);
  const WrittenCall written =
      write_call(load(job.request, opened), opened.inputs, pack.folder->path(), cat(name, "."), own);
  entry.line =
      cat("{\"name\":", json_string(name), ",", written.job, ",\"output\":", json_string(cat(name, ".npy")),
          ",\"comment\":", json_string(job.name), "}\n");
}

// The two files of a case in the folder of its pack: the result, and the file that refuses the call.
std::array<std::string, 2> ManyCases::files_of(const Pack& pack, std::size_t at) {
  const std::string base = path_from(pack.folder->path(), name_in_pack(at));
  return {cat(base, ".npy"), cat(base, ".error")};
}

// Reads what the program has left for a case. Returns false if it has left nothing.
bool ManyCases::take_left(Pack& pack, std::size_t at) {
  Entry& entry = pack.entries[at];
  const auto [result, refusal] = files_of(pack, at);
  try {
    if (entry_exists(result)) entry.run.result = result;
    if (entry_exists(refusal)) {
      entry.run.is_refused = true;
      entry.run.end.output = read_refusal(refusal);
    }
  } catch (const Failure& error) {
    entry.run.fault = std::make_shared<Failure>(without_folder(error, pack.folder->path()));
  }
  return entry.run.fault || entry.run.is_refused || !entry.run.result.empty();
}

// Runs one process for the waiting cases. The time limit counts from the last result.
ChildEnd ManyCases::run_process(const Pack& pack, const std::vector<std::size_t>& waiting,
                                const std::vector<std::string>& words) const {
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

// A program takes the cases in their order. If it ends badly, it has failed at the first case without a
// file, or at the last case if each has one; the cases after it are given to another process.
void ManyCases::run_entries(Pack& pack) {
  constexpr int kMostProcesses = 10;
  std::vector<std::size_t> waiting;
  for (std::size_t at = 0; at < pack.entries.size(); ++at) {
    if (!pack.entries[at].error) waiting.push_back(at);
  }
  const std::vector<std::string> words = program_.command.words(
      {.inputs = {}, .named = {{std::string(CommandTemplate::kCases), pack.folder->path()}}});
  for (const std::size_t at : waiting) pack.entries[at].run.words = words;
  for (int processes = 1; !waiting.empty(); ++processes) {
    const ChildEnd end = run_process(pack, waiting, words);
    const std::size_t last = waiting.back();
    std::erase_if(waiting, [&](std::size_t at) { return take_left(pack, at); });
    if (waiting.empty() && !end.has_succeeded()) pack.entries[last].run.end = end;
    const bool goes_on = !end.has_succeeded() && end.kind != ChildEnd::Kind::not_started &&
                         processes < kMostProcesses && !waiting.empty();
    const std::size_t failed = goes_on ? 1 : waiting.size();
    for (std::size_t n = 0; n < failed; ++n) pack.entries[waiting[n]].run.end = end;
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(failed));
  }
}

}  // namespace tensorop
