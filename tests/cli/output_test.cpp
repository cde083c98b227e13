// Results through the real program that others interrupt, limit or write at the same time: they appear whole
// or not at all. The rest is in output.md.
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/sanitizers.hpp"
#include "support/skip.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::cli_output_test {

TEST_CASE("a limit on the size of files is an error with path and reason", "[cli][output]") {
  const TempDir dir;
  write_file(dir.file("out.npy"), "before");
  const std::string limited = "ulimit -f 8; \"$B\" expand 7 --shape 100000 ";
  check_refused(shell(dir, limited + "-o out.npy"),
                "expand: out.npy: cannot reserve 800128 bytes: File too large");
  check_refused(shell(dir, limited + "-o out.json"), "expand: out.json: cannot write: File too large");
  check_refused(shell(dir, limited + ">out"), "expand: standard output: cannot write: File too large");
  CHECK(get(dir.file("out.npy")) == "before");
  CHECK(names_in(dir.path()) == std::set<std::string>{"out", "out.npy"});
}

TEST_CASE("a closed pipe ends the program silently by SIGPIPE, or with a line where that is ignored",
          "[cli][output]") {
  const TempDir dir;
  // The reader is gone before the program writes.
  const std::string late = "until [ -e gone ]; do sleep 0.01; done; exec \"$B\" expand 7 --shape 100000";
  const std::string reader = "{ exec <&-; : >gone; }";
  const ProcessResult killed = shell(dir, cat("{ (", late, "); echo $? >status; } | ", reader));
  CHECK(killed.err.empty());
  CHECK(get(dir.file("status")) == "141\n");
  std::filesystem::remove(dir.path() / "gone");
  const ProcessResult told = shell(dir, cat("{ (trap '' PIPE; ", late, "); echo $? >status; } | ", reader));
  CHECK(told.err == "tensorop: expand: standard output: cannot write: Broken pipe\n");
  CHECK(get(dir.file("status")) == "2\n");
}

TEST_CASE("the same bytes come out for any number of threads", "[release][cli][output]") {
  const TempDir dir;
  std::vector<std::int64_t> indices(300000);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i * 7919 % 5000);
  std::vector<float> values(300000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i + 1);
  write_file(dir.file("i.npy"), npy_bytes(tensor_of(DType::int64, {300000}, indices)));
  write_file(dir.file("u.npy"), npy_bytes(tensor_of(DType::float32, {300000}, values)));
  for (const char* format : {"npy", "json"}) {
    std::set<std::string> gathered;
    std::set<std::string> scattered;
    for (const char* threads : {"1", "2", "3", "7"}) {
      const Words gather = {"gather", "u.npy", "i.npy", "--format", format, "--threads", threads};
      gathered.insert(run_in(dir, gather).out);
      const Words scatter = {"scatterelements", "u.npy", "i.npy",     "u.npy", "--reduction", "add",
                             "--format",        format,  "--threads", threads};
      scattered.insert(run_in(dir, scatter).out);
    }
    CHECK(gathered.size() == 1);
    CHECK(scattered.size() == 1);
    CHECK(gathered.begin()->size() > 1000000);
  }
}

// ---------------------------------------------------------------------------------------------------------
// Interruptions.

namespace {

constexpr std::int64_t kLarge = 8388608;

// Writes 64 MiB, or what else is given, of `value`: long enough to be interrupted in the middle of it.
std::string large_write(int value, std::int64_t elements = kLarge) {
  return cat("\"$B\" expand '{\"dtype\":\"int64\",\"data\":[", value, "]}' --shape ", elements,
             " -o out.npy");
}

bool is_whole(const std::string& path, int value, std::int64_t elements = kLarge) {
  const std::string bytes = get(path);
  if (bytes.size() != to_size(128 + elements * 8)) return false;
  std::int64_t first = 0;
  std::memcpy(&first, bytes.data() + 128, 8);
  // Every element equals the one before it.
  return first == value && std::memcmp(bytes.data() + 128, bytes.data() + 136, bytes.size() - 136) == 0;
}

}  // namespace

TEST_CASE("kill -9 at 100 moments leaves the old destination or the new one",
          "[release][cli][output][kill]") {
  constexpr std::int64_t kElements = 1 << 21;
  const TempDir dir;
  int killed = 0;
  for (int repetition = 0; repetition < 100; ++repetition) {
    write_file(dir.file("out.npy"), "before");
    // The first time at once, so that one at least is killed however fast the machine is.
    const int tenths = repetition % 50 * 7;  // of a millisecond
    const std::string delay =
        repetition == 0 ? ":" : cat("sleep 0.0", tenths / 100, tenths / 10 % 10, tenths % 10);
    const ProcessResult result = shell(dir, cat(large_write(7, kElements), " & p=$!; ", delay,
                                                "; kill -9 $p 2>/dev/null; wait $p; echo $?"));
    const bool finished = result.out == "0\n";
    CAPTURE(delay, result.out);
    if (!finished) ++killed;
    CHECK((finished || result.out == "137\n"));
    const bool old = get(dir.file("out.npy")) == "before";
    CHECK((old || is_whole(dir.file("out.npy"), 7, kElements)));
    if (finished) CHECK_FALSE(old);
    for (const std::string& name : names_in(dir.path())) {
      CHECK((name == "out.npy" || (name.starts_with(".tensorop-") && name.ends_with(".tmp"))));
    }
  }
  CHECK(killed > 0);
}

TEST_CASE("a signal at any moment leaves no other file and ends the program by that signal",
          "[release][cli][output][kill]") {
  const TempDir dir;
  const std::vector<std::pair<std::string, int>> signals = {{"INT", 130}, {"TERM", 143}, {"HUP", 129}};
  for (int repetition = 0; repetition < 9; ++repetition) {
    const auto& [name, status] = signals[static_cast<std::size_t>(repetition) % signals.size()];
    write_file(dir.file("out.npy"), "before");
    // Started by another program: a shell lets its background processes ignore SIGINT.
    const ProcessResult result = shell(dir, cat("timeout --preserve-status -s ", name, " 0.0",
                                                1 + repetition / 2, " ", large_write(7), "; echo $?"));
    CAPTURE(name, result.out);
    CHECK((result.out == "0\n" || result.out == cat(status, "\n")));
    CHECK(names_in(dir.path()) == std::set<std::string>{"out.npy"});
    CHECK((get(dir.file("out.npy")) == "before" || is_whole(dir.file("out.npy"), 7)));
  }
}

TEST_CASE("an input that changes while it is read is named, and nothing is published", "[cli][output]") {
  struct Case {
    std::string change;  // a shell command, once data.npy is open
    std::string command;
    std::string message;
  };
  const std::string gather = "gather data.npy indices -o out.npy";
  const std::vector<Case> cases = {
      {"truncate -s 200 data.npy", gather, "data.npy: became shorter while it was read"},
      {"truncate -s 0 data.npy", "add data.npy indices -o out.npy",
       "data.npy: became shorter while it was read"},
      // Within the last page memory holds zeros instead.
      {"truncate -s -4 data.npy", gather, "gather: data.npy: changed while it was read"},
      {"touch data.npy", gather, "gather: data.npy: changed while it was read"},
      {"echo >> data.npy", gather, "gather: data.npy: changed while it was read"},
      {"truncate -s 200 data.npy", "compare data.npy indices", "data.npy: became shorter while it was read"},
      {"touch data.npy", "compare data.npy indices", "compare: data.npy: changed while it was read"},
      // What takes its name is another file.
      {"mv other.npy data.npy", gather, ""},
      {"rm data.npy", gather, ""},
  };
  for (const auto& [change, command, message] : cases) {
    CAPTURE(change, command);
    const TempDir dir;
    check_done(run_in(dir, {"expand", "7", "--dtype", "int64", "--shape", "10000", "-o", "data.npy"}));
    check_done(run_in(dir, {"expand", "9999", "--shape", "10000", "-o", "indices.npy"}));
    check_done(run_in(dir, {"convert", "indices.npy", "-o", "other.npy"}));
    check_done(run_in(dir, {"convert", "0", "-o", "out.npy"}));
    const std::string before = get((dir.path() / "out.npy").string());
    // The shell waits at the FIFO until the program, which has opened data.npy by then, opens it too.
    const ProcessResult result = shell(dir, cat("mkfifo indices; $B ", command, " & exec 3>indices; ", change,
                                                "; cat indices.npy >&3; exec 3>&-; wait $!"));
    if (message.empty()) {
      check_done(result);
      continue;
    }
    check_refused(result, message);
    CHECK(get((dir.path() / "out.npy").string()) == before);
    CHECK(names_in(dir.path()) ==
          std::set<std::string>{"data.npy", "indices", "indices.npy", "other.npy", "out.npy"});
  }
}

TEST_CASE("twenty processes that write one destination leave one of their results, whole",
          "[cli][output][kill]") {
  const TempDir dir;
  std::string command;
  for (int i = 0; i < 20; ++i) {
    command += cat("\"$B\" expand '{\"dtype\":\"int64\",\"data\":[", i,
                   "]}' --shape 300000 -o out.npy || echo failed & ");
  }
  check_done(shell(dir, command + "wait"));
  const std::string bytes = get(dir.file("out.npy"));
  REQUIRE(bytes.size() == 128 + 300000 * 8);
  CHECK(std::memcmp(bytes.data() + 128, bytes.data() + 136, bytes.size() - 136) == 0);
  CHECK(names_in(dir.path()) == std::set<std::string>{"out.npy"});
}

TEST_CASE("twenty runs that write the same files leave each of them whole", "[cli][output][kill]") {
  constexpr int kRuns = 20;
  constexpr int kFiles = 5;
  constexpr std::int64_t kElements = 20000;
  const TempDir dir;
  std::string command;
  for (int run = 0; run < kRuns; ++run) {
    std::string jobs;
    for (int file = 0; file < kFiles; ++file) {
      jobs += cat("{\"op\":\"expand\",\"data\":", run, ",\"shape\":[", kElements, "],\"output\":\"out", file,
                  ".npy\"}\n");
    }
    write_file(dir.file(cat("jobs", run)), jobs);
    command += cat("\"$B\" run -q jobs", run, " & ");
  }
  check_done(shell(dir, command + "wait"));
  std::set<std::string> expected;
  for (int run = 0; run < kRuns; ++run) expected.insert(cat("jobs", run));
  for (int file = 0; file < kFiles; ++file) {
    const std::string name = cat("out", file, ".npy");
    expected.insert(name);
    const std::string bytes = get(dir.file(name));
    REQUIRE(bytes.size() == 128 + kElements * 8);
    CHECK(std::memcmp(bytes.data() + 128, bytes.data() + 136, bytes.size() - 136) == 0);
    CHECK(static_cast<int>(bytes[128]) < kRuns);
  }
  CHECK(names_in(dir.path()) == expected);
}

// A program with a sanitizer has libraries to open first.
#if !TENSOROP_ADDRESS_SANITIZER && !TENSOROP_THREAD_SANITIZER
TEST_CASE("too few descriptors are an error with path and reason", "[cli][output]") {
  const TempDir dir;
  write_file(dir.file("out.npy"), "before");
  const std::string result = npy_bytes(tensor_of<std::int64_t>(DType::int64, {2}, {2, 1}));
  write_file(dir.file("a.npy"), result);
  check_refused(shell(dir, "ulimit -n 3; \"$B\" gather '[1,2]' '[1,0]' -o out.npy"),
                "gather: out.npy: cannot write: Too many open files");
  check_refused(shell(dir, "ulimit -n 3; \"$B\" gather a.npy 0"),
                "gather: data: a.npy: cannot open: Too many open files");
  CHECK(get(dir.file("out.npy")) == "before");
  CHECK(names_in(dir.path()) == std::set<std::string>{"a.npy", "out.npy"});
  check_done(shell(dir, "ulimit -n 8; \"$B\" gather '[1,2]' '[1,0]' -o out.npy"));
  CHECK(get(dir.file("out.npy")) == result);
}
#endif

TEST_CASE("a file system that is full is an error with path and both sizes", "[cli][output]") {
  const TempDir dir;
  // In a name space of its own, where the user may have one.
  const std::string mounted = "unshare -m sh -c 'mkdir small && mount -t tmpfs -o size=64k none small && ";
  if (shell(dir, mounted + "true'; s=$?; rmdir small; exit $s").status != 0)
    return skip("no file system is mounted here, as in a chroot");
  // Too large by its size; large enough; too large only once it is written.
  const ProcessResult result =
      shell(dir, mounted +
                     "cd small; $B expand 1 --shape 9 -o old.npy; cp old.npy same; $B expand 1 --shape "
                     "100000 -o old.npy; "
                     "$B expand 1 --shape 20000 --format nested -o out.json; "
                     "$B expand 7777 --shape 8000 --format nested -o new.json; cmp old.npy same; ls -A'");
  CHECK(result.err ==
        "tensorop: expand: old.npy: the result needs at least 800128 bytes, 57344 are free on that file "
        "system\n"
        "tensorop: expand: new.json: cannot write: No space left on device\n");
  CHECK(result.out == "old.npy\nout.json\nsame\n");
}

}  // namespace tensorop::cli_output_test
