// Whole operations with the system failing at every call they make, one at a time.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "faults/operations.hpp"
#include "support/catch.hpp"
#include "support/faulty_system.hpp"
#include "support/nightly.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::faults_system_test {
namespace {

namespace fs = std::filesystem;

// Files of the folder that are mapped into this process.
int mappings_of(const TempDir& dir) {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);)
    found += line.find(dir.path().string()) != std::string::npos;
  return found;
}

struct Outcome {
  std::string failed_call;  // the call that failed; empty: there were fewer calls
  std::string line;         // of the Error; empty: there was none
};

Outcome run_failing(const Operation& operation, const Trial& trial, FaultySystem& system) {
  const ScopedSystem scope(system);
  try {
    operation.run(trial.dir());
  } catch (const Failure& error) {
    return {system.failed_call(), error.what()};
  }
  return {system.failed_call(), ""};
}

struct Kind {
  bool named;
  bool old_outputs;
};
constexpr Kind kKinds[] = {{false, false}, {false, true}, {true, true}};

}  // namespace

TEST_CASE(
    "whatever call of a whole operation fails: a line with path and reason, old files or whole ones, nothing "
    "left open",
    "[faults][system]") {
  constexpr int kStep = kAnySanitizer ? 16 : 1;  // of the calls that fail
  // A sanitizer sees each of the two kinds of errors once for each operation.
  const bool is_share = kAnySanitizer && !is_nightly();
  std::set<std::string> failed_call;
  int first = 0;
  for (const Operation& operation : small_operations()) {
    Trial trial(operation);
    const auto descriptors = open_descriptors();
    for (const Kind& kind : kKinds) {
      for (const int code : {ENOSPC, EIO, EDQUOT, EFBIG, EINTR, EMFILE, ENOMEM}) {
        // The source knows two kinds of errors: EINTR, after which a call is made again, and all others.
        const bool is_first = &operation == &small_operations().front();
        if (code != EIO && code != EINTR && !is_first) continue;
        if (operation.is_large && code != EIO) continue;
        const auto turn = &operation - small_operations().data() + (code == EIO ? 0 : 1);
        if (is_share && (&kind != &kKinds[turn % std::ssize(kKinds)] || (code != EIO && code != EINTR)))
          continue;
        // Each time others, where not all fail.
        for (int number = 1 + first++ % kStep;; number += kStep) {
          trial.prepare(kind.old_outputs);
          FaultySystem system(kind.named, number, SystemFault::error, code);
          const Outcome outcome = run_failing(operation, trial, system);
          CAPTURE(operation.name, kind.named, kind.old_outputs, std::strerror(code), number,
                  outcome.failed_call, outcome.line);
          failed_call.insert(outcome.failed_call);
          CHECK(trial.fault_in_outputs(outcome.line.empty()) == "");
          CHECK(open_descriptors() == descriptors);
          CHECK(mappings_of(trial.dir()) == 0);
          if (outcome.failed_call.empty()) {
            CHECK(outcome.line == "");
            CHECK(number > 4);
            break;
          }
          if (outcome.line.empty()) continue;
          CHECK(outcome.line.find(trial.dir().path().string()) != std::string::npos);
          // What is rewritten is read back under its temporary name.
          if (!operation.name.ends_with("rewritten"))
            CHECK(outcome.line.find(".tensorop-") == std::string::npos);
          // A path that cannot be looked up counts as missing: the message names the failure of the next
          // step.
          if (outcome.failed_call != "stat") CHECK(outcome.line.ends_with(std::strerror(code)));
        }
      }
    }
  }
  if (kAnySanitizer) return;  // not all calls have failed
  const std::set<std::string> expected = {
      "",         "access", "clone_range", "close", "copy_file_range", "fallocate", "fchmod", "fstat",
      "fstatvfs", "fsync",  "link_fd",     "lstat", "madvise",         "mincore",   "mkdir",  "mmap",
      "munmap",   "open",   "pwrite",      "read",  "rename",          "scandir",   "stat",   "unlink"};
  for (const std::string& call : expected) {
    CAPTURE(call);
    CHECK(failed_call.contains(call));
  }
}

TEST_CASE("whatever read or write of a whole operation is short: it is continued",
          "[faults][system][release]") {
  auto turn = static_cast<std::int64_t>(random_seed() % std::size(kKinds));
  for (const Operation& operation : small_operations()) {
    Trial trial(operation);
    ++turn;
    for (const Kind& kind : kKinds) {
      if (operation.is_large && !kind.named) continue;
      if (!is_nightly() && !operation.is_large && &kind != &kKinds[turn % std::ssize(kKinds)]) continue;
      for (int number = 1;; ++number) {
        trial.prepare(kind.old_outputs);
        FaultySystem system(kind.named, number, SystemFault::partial, EIO);
        const Outcome outcome = run_failing(operation, trial, system);
        if (outcome.failed_call.empty()) break;
        if (outcome.failed_call != "read" && outcome.failed_call != "copy_file_range" &&
            !outcome.failed_call.ends_with("write"))
          continue;
        CAPTURE(operation.name, kind.named, kind.old_outputs, number, outcome.failed_call);
        CHECK(outcome.line == "");
        CHECK(trial.fault_in_outputs(true) == "");
      }
    }
  }
}

}  // namespace tensorop::faults_system_test
