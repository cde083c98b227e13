// A program that takes many cases in one process: writes the folder that it gets, and reads the files that it
// leaves there. Source: docs/conformance.md, "A program for many cases".
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/temporary_entry.hpp"
#include "check/external_program.hpp"
#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

class ManyCases {
 public:
  // Divides the cases of `jobs` into packs of at most kMostCases, one for each process, of which `concurrent`
  // run at a time. A case that needs results of other jobs is a pack of its own. The arguments must outlive
  // this object.
  ManyCases(const std::vector<Job>& jobs, const ProgramSettings& program, const TemporaryEntry& folder,
            int concurrent);

  // Returns how the program ended case `i`. The first call for a case of a pack runs the program with all
  // cases of the pack. Any thread may call it, once for each case. Throws Error if the operands of the case
  // cannot be read or written.
  [[nodiscard]] ProgramRun run(std::size_t i, const Settings& settings);

 private:
  static constexpr std::size_t kMostCases = 1000;

  struct Entry {
    std::size_t job;
    std::string line = {};  // of the job file
    ProgramRun run = {};
    std::shared_ptr<const Failure> error = {};
  };
  struct Pack {
    std::vector<Entry> entries;
    std::once_flag once;
    std::unique_ptr<CaseScratch> folder;
  };

  void run_pack(std::size_t number, const Settings& settings);
  void write_case(const Pack& pack, std::size_t at, const Settings& settings, Entry& entry) const;
  void run_entries(Pack& pack);
  [[nodiscard]] ChildEnd run_process(const Pack& pack, const std::vector<std::size_t>& waiting,
                                     const std::vector<std::string>& words) const;
  [[nodiscard]] static std::array<std::string, 2> files_of(const Pack& pack, std::size_t at);
  [[nodiscard]] static bool take_left(Pack& pack, std::size_t at);

  const std::vector<Job>& jobs_;
  const ProgramSettings& program_;
  const TemporaryEntry& folder_;
  std::vector<std::unique_ptr<Pack>> packs_;
  struct Position {
    std::size_t pack = 0;
    std::size_t entry = 0;
  };
  std::vector<Position> position_of_;  // by job
};

}  // namespace tensorop
