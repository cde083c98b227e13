// A case folder that is being written while the system fails, and while signals arrive.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "faults/operations.hpp"
#include "support/catch.hpp"
#include "support/faulty_system.hpp"
#include "support/interrupted.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::faults_case_test {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = kAnySanitizer ? 4 : 24;

const std::set<std::string> kWhole = {"model.onnx", "test_data_set_0", "test_data_set_0/input_0.pb",
                                      "test_data_set_0/input_1.pb", "test_data_set_0/output_0.pb"};

std::set<std::string> names_below(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

// What is wrong with a folder that may hold the case, which has these sizes; empty where nothing is.
std::string fault_in(const fs::path& folder, std::uintmax_t bytes) {
  if (names_below(folder) != kWhole) return cat(folder.string(), " is not whole");
  std::uintmax_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    sum += entry.is_regular_file() ? entry.file_size() : 0;
  return sum == bytes ? "" : cat(folder.string(), " has ", sum, " bytes");
}

// Where folders cost little.
fs::path in_memory() {
  return ::access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
}

std::uintmax_t bytes_of_case(const TempDir& dir) {
  make_case(dir.file("first"), false);
  std::uintmax_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path() / "first"))
    sum += entry.is_regular_file() ? entry.file_size() : 0;
  fs::remove_all(dir.path() / "first");
  return sum;
}

}  // namespace

TEST_CASE(
    "whatever call fails while a case is written: a line with path and reason, and all of it or nothing",
    "[faults][system]") {
  const TempDir dir(in_memory());
  const std::uintmax_t bytes = bytes_of_case(dir);
  const fs::path folder = dir.path() / "case";
  std::set<std::string> failed_calls;
  for (const bool named : {false, true}) {
    for (const bool is_there : {false, true}) {
      for (const int code : {EIO, ENOSPC, EINTR}) {
        for (int number = 1;; ++number) {
          fs::remove_all(folder);
          if (is_there) fs::create_directory(folder);
          FaultySystem system(named, number, SystemFault::error, code);
          std::string line;
          try {
            const ScopedSystem scope(system);
            make_case(folder.string(), true);
          } catch (const Failure& error) {
            line = error.what();
          }
          CAPTURE(named, is_there, std::strerror(code), number, system.failed_call(), line);
          failed_calls.insert(system.failed_call());
          const bool is_whole = fs::exists(folder) && !fs::is_empty(folder);
          if (is_whole) CHECK(fault_in(folder, bytes) == "");
          CHECK((is_whole || !line.empty()));
          CHECK(fs::exists(folder) == (is_whole || is_there));
          fs::remove_all(folder);
          CHECK(names_below(dir.path()).empty());
          // The path that the user gave, and not the temporary one.
          if (!line.empty()) CHECK(line.find(folder.string()) != std::string::npos);
          CHECK(line.find(".tensorop-") == std::string::npos);
          if (system.failed_call().empty()) {
            CHECK(line == "");
            break;
          }
        }
      }
    }
  }
  for (const char* call : {"fchmod", "fsync", "lstat", "mkdir", "open", "rename", "scandir"}) {
    CAPTURE(call);
    CHECK(failed_calls.contains(call));
  }
}

TEST_CASE("a signal at any moment leaves whole cases and nothing else", "[release][faults][signal]") {
  const TempDir dir(in_memory());
  const std::uintmax_t bytes = bytes_of_case(dir);
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < kRounds; ++round) {
    const int number = round % 2 == 0 ? SIGINT : SIGTERM;
    const bool named = round % 4 < 2;
    CAPTURE(round, number, named);
    NamedOnlySystem system(named);
    const ScopedSystem scope(system);
    int made = 0;
    const auto work = [&] { make_case(dir.file(cat("case_", made++)), false); };
    CHECK(interrupt(work, number, random.between(0, 6000)) == number);
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      CHECK(entry.path().filename().string().starts_with("case_"));
      CHECK(fault_in(entry.path(), bytes) == "");
      fs::remove_all(entry.path());
    }
  }
}

}  // namespace tensorop::faults_case_test
