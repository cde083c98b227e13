// `compare` of directories and archives, if it takes more than a shell line: large archives with other bytes,
// threads, and permissions that root does not have.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/hex.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/sanitizers.hpp"
#include "support/skip.hpp"

namespace tensorop::cli_compare_sets_test {
namespace {

namespace fs = std::filesystem;

ProcessResult compare_in(const TempDir& dir, Words words) {
  words.insert(words.begin(), "compare");
  return run_in(dir, words);
}

// The arrays NAME=OPERAND as an archive.
void make_archive(const TempDir& dir, const std::string& path, const Words& arrays) {
  Words words = {"convert"};
  words.insert(words.end(), arrays.begin(), arrays.end());
  words.insert(words.end(), {"-o", path});
  check_done(run_in(dir, words));
}

}  // namespace

TEST_CASE("a directory that cannot be listed is an error of compare", "[cli][compare]") {
  if (kAddressSanitizer) {
    SUCCEED("the search for leaks cannot look at a process of another user");
    return;
  }
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms(0755));
  for (const char* folder : {"g", "r"}) {
    fs::create_directories(dir.path() / folder / "run");
    write_file(dir.file(cat(folder, "/run/a.json")), "[1]");
  }
  fs::permissions(dir.path() / "g/run", fs::perms::none);
  // Root may read everything: the program then runs as nobody.
  const uid_t user = ::geteuid();
  if (user == 0) REQUIRE(::seteuid(65534) == 0);
  const bool is_reached = ::faccessat(AT_FDCWD, tensorop_binary().c_str(), X_OK, AT_EACCESS) == 0;
  const ProcessResult locked = is_reached ? compare_in(dir, {"r", "g", "--filter", "run"}) : ProcessResult{};
  REQUIRE(::seteuid(user) == 0);
  if (!is_reached) return skip("an ordinary user does not reach the program");
  fs::permissions(dir.path() / "g/run", fs::perms::owner_all);
  CHECK(locked.status == 2);
  CHECK(locked.out.find("run: error: g/run: cannot list: Permission denied\n") != std::string::npos);
}

TEST_CASE("large arrays that one thread each inflates are compared in order, and warnings are too",
          "[cli][compare]") {
  const TempDir dir;
  Words arrays;
  for (const char* name : {"a", "b", "c", "d", "e"}) arrays.push_back(cat(name, "=big.npy"));
  check_done(run_in(dir, {"broadcast", "[1]", "--shape", "600000", "-o", "big.npy"}));
  make_archive(dir, "stored.npz", arrays);
  arrays.push_back("--compress");
  make_archive(dir, "streams.npz", arrays);
  make_archive(dir, "again.npz", arrays);
  std::string bytes = get(dir.file("streams.npz"));
  // The checksum of the last one, in its header and in the directory.
  for (const std::size_t at : {bytes.rfind("PK\3\4") + 14, bytes.rfind("PK\1\2") + 16})
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write_file(dir.file("damaged.npz"), bytes);
  for (const char* threads : {"1", "2", "3", "8"}) {
    CAPTURE(threads);
    for (const char* other : {"stored.npz", "again.npz"}) {
      CHECK(compare_in(dir, {"streams.npz", other, "--threads", threads}).out == "5 tensors: all equal\n");
    }
    const ProcessResult damaged = compare_in(dir, {"damaged.npz", "stored.npz", "--threads", threads});
    CHECK(damaged.status == 2);
    CHECK(damaged.out.starts_with("e: error: damaged.npz:e: the data is damaged: its CRC-32 is "));
    CHECK(damaged.out.ends_with("5 tensors: 4 equal, 1 error\n"));
  }
  // Each file has a field that nobody knows.
  std::string warnings;
  for (const char* folder : {"r", "g"}) fs::create_directory(dir.path() / folder);
  for (int i = 10; i < 60; ++i) {
    write_file(dir.file(cat("r/", i, ".pb")), from_hex("10 02 4a 01 05 88 01 01"));
    write_file(dir.file(cat("g/", i, ".pb")), from_hex("10 02 4a 01 05"));
    warnings += cat("tensorop: warning: r/", i, ".pb: field 17 is not known and was skipped\n");
  }
  for (const char* threads : {"1", "8"}) {
    CHECK(compare_in(dir, {"r", "g", "--threads", threads}).err == warnings);
  }
}

}  // namespace tensorop::cli_compare_sets_test
