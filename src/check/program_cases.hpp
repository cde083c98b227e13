// Cases in the hands of another program: writes the folder that a process gets, runs it, and reads the files
// that it leaves there. Source: docs/check.md, "A program for each case"; docs/conformance.md, "A program for
// many cases".
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files/paths.hpp"
#include "base/files/temporary_entry.hpp"
#include "base/text/error.hpp"
#include "check/external_program.hpp"
#include "compare/finding.hpp"
#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "io/safetensors/array_files.hpp"
#include "jobs/jobs.hpp"
#include "jobs/loaded_call.hpp"

namespace tensorop {

class ProgramCases {
 public:
  // Divides the cases of `jobs` into packs, one for each process; `concurrent` of them run at a time: of one
  // case or, if the command takes {cases}, of at most kMostCases. The cases of a pack are among
  // concurrent * kMostCases consecutive ones: no others wait for verdicts. A case that needs results of other
  // jobs is a pack of its own. Notes the state of all files that jobs read. The arguments must outlive this
  // object.
  ProgramCases(const std::vector<Job>& jobs, const ProgramSettings& program, const TemporaryEntry& folder,
               int concurrent);

  // Returns how the program ended case `i`; nothing if it was not given the case, because it had crashed too
  // often. The first call for a case of a pack runs the program with all cases of the pack. Any thread may
  // call it, once for each case. Throws Error if the operands of the case cannot be read or written.
  [[nodiscard]] std::optional<ProgramRun> run(std::size_t i, const Settings& settings);
  // Returns the call that was written for the program, after run(): with its operands, unless those of its
  // pack take more than half of the memory and can be read again from files, as require_unchanged() allows.
  [[nodiscard]] Request take_call(std::size_t i);
  // Throws Error if the result of a case is a golden file, or the result of another case.
  void require_own_result(std::size_t i, const std::string& result);
  // Throws Error if a file that job `i` reads has changed since this object was made.
  void require_unchanged(std::size_t i) const;
  // Case `i` has its verdict: its files are removed with those of the last case of its pack.
  void release(std::size_t i);

  // Whether the program crashed or was killed in as many cases before case `i` as the limit allows.
  [[nodiscard]] bool is_after_crashes(std::size_t i) const;

 private:
  static constexpr std::int64_t kMostCases = 1000;

  struct Entry {
    std::size_t job;
    std::string line = {};  // of the job file
    std::vector<std::string> words = {};
    std::optional<Request> call = {};
    std::optional<ProgramRun> run = {};
    std::shared_ptr<const Failure> error = {};
  };
  struct Pack {
    std::vector<Entry> entries = {};
    std::once_flag once = {};
    std::int64_t memory = 0;  // bytes that are left for operands
    std::unique_ptr<CaseScratch> folder = {};
    std::atomic<std::size_t> released = 0;
  };
  // A file, and when it was written.
  struct FileState {
    FileId id;
    std::array<std::int64_t, 3> size_and_time;  // of modification
    std::array<std::int64_t, 2> status_time;
    std::uint64_t links;

    // Another hard link to it changes the time of its status.
    bool operator==(const FileState& other) const {
      return id == other.id && size_and_time == other.size_and_time &&
             (status_time == other.status_time || links != other.links);
    }
  };
  struct NotedFile {
    const JobFile* file;
    std::string path;
    std::optional<FileState> state;  // nothing: there is no regular file
  };

  [[nodiscard]] bool is_for_many() const { return program_.command.is_for_many(); }
  void add_crash(std::size_t i);
  void note_files(std::size_t i, ArrayFiles& shards);
  [[nodiscard]] static std::optional<FileState> state_of(const std::string& path);
  void run_pack(std::size_t number, const Settings& settings);
  void keep_call(Pack& pack, Entry& entry, const LoadedCall& call) const;
  void write_case(Pack& pack, std::size_t at, const Settings& settings) const;
  void write_one_of_many(Pack& pack, std::size_t at, const Settings& settings) const;
  void run_entries(Pack& pack);
  [[nodiscard]] ChildEnd run_process(const Pack& pack, const std::vector<std::size_t>& waiting) const;
  [[nodiscard]] std::array<std::string, 2> files_of(const Pack& pack, std::size_t at) const;
  [[nodiscard]] bool take_left(Pack& pack, std::size_t at) const;

  const std::vector<Job>& jobs_;
  const ProgramSettings& program_;
  const TemporaryEntry& folder_;
  std::vector<std::unique_ptr<Pack>> packs_;
  struct Position {
    std::size_t pack = 0;
    std::size_t entry = 0;
  };
  std::vector<Position> position_of_;          // by job
  std::map<FileId, std::size_t> golden_of_;    // the first case that expects the file
  std::vector<std::vector<NotedFile>> noted_;  // by job, before any program started

  mutable std::mutex mutex_;                 // guards the members below
  std::set<std::size_t> crashed_;            // cases
  std::map<FileId, std::size_t> result_of_;  // the case whose result the file is
};

}  // namespace tensorop
