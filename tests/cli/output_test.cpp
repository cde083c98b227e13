// Results through the real program: formats, destinations, and that they appear whole or not at all, whoever
// interrupts.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
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
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDescribed = "{\"dtype\":\"int64\",\"shape\":[2],\"data\":[2,1]}\n";
constexpr const char* kNested = "[2,1]\n";

std::string npy_of_result() {
  return npy_bytes(tensor_of<std::int64_t>(DType::int64, {2}, {2, 1}));
}

// gather that gives [2,1], with these options.
Words gather_with(const Words& options) {
  Words words = {"gather", "[1,2]", "[1,0]"};
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

}  // namespace

TEST_CASE("the format is that of the ending, of --format, or JSON on standard output", "[cli][output]") {
  struct Row {
    Words options;
    std::string file;  // empty: standard output
    std::string bytes;
  };
  const std::vector<Row> rows = {
      {{}, "", kDescribed},
      {{"-o", "-"}, "", kDescribed},
      {{"--format", "json"}, "", kDescribed},
      {{"--format", "nested"}, "", kNested},
      {{"--format", "npy"}, "", npy_of_result()},
      {{"-o", "-", "--format", "npy"}, "", npy_of_result()},
      {{"-o", "a.npy"}, "a.npy", npy_of_result()},
      {{"-o", "a.json"}, "a.json", kDescribed},
      {{"-o", "b.npy", "--format", "json"}, "b.npy", kDescribed},
      {{"-o", "b.json", "--format=NPY"}, "b.json", npy_of_result()},
      {{"-o", "b.txt", "--format", "nested"}, "b.txt", kNested},
      {{"-o", "b", "--format", "npy"}, "b", npy_of_result()},
      {{"-o", "./-", "--format", "json"}, "-", kDescribed},
      {{"-o", "/dev/stdout", "--format", "json"}, "", kDescribed},
      {{"-o", "/dev/fd/1", "--format", "npy"}, "", npy_of_result()},
  };
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(join(row.options, " "));
    check_done(run_in(dir, gather_with(row.options)), row.file.empty() ? row.bytes : "");
    if (!row.file.empty()) CHECK(get(dir.file(row.file)) == row.bytes);
  }
}

TEST_CASE("an ending that tells no format is refused before anything is read", "[cli][output]") {
  const TempDir dir;
  for (const char* name : {"a", "a.md", "a.zip", "a.npy.bak"}) {
    const ProcessResult result = run_in(dir, {"gather", "no such file", "0", "-o", name});
    CHECK(result.err == cat("tensorop: ", name, ": cannot tell the format from the file extension\n",
                            "hint: name it .npy, .json, .txt, .csv, .tsv, .pb, .npz or .safetensors, or give "
                            "--format npy, json, "
                            "nested, text, csv, tsv, pb, npz or safetensors\n"));
    CHECK(result.out.empty());
    CHECK(result.status == 2);
  }
}

TEST_CASE("a destination that cannot be written is refused, and nothing changes", "[cli][output]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "folder.npy");
  write_file(dir.file("file"), "before");
  const auto before = names_in(dir.path());
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"folder.npy", "is a directory"},
      {"missing/a.npy", "folder missing does not exist"},
      {"file/a.npy", "Not a directory"},
      {"/proc/a.npy", "No such file or directory"},
  };
  for (const auto& [name, reason] : rows) {
    check_refused(run_in(dir, gather_with({"-o", name})), cat("gather: ", name, ": cannot write: ", reason));
    check_refused(run_in(dir, {"scatternd", "[1]", "[[0]]", "[2]", "-o", name}),
                  cat("scatternd: ", name, ": cannot write: ", reason));
    check_refused(run_in(dir, {"convert", "[1]", "-o", name}),
                  cat("convert: ", name, ": cannot write: ", reason));
  }
  CHECK(names_in(dir.path()) == before);
  CHECK(get(dir.file("file")) == "before");
}

TEST_CASE("after any error the destination is as it was, and standard output empty", "[cli][output]") {
  const TempDir dir;
  write_file(dir.file("bad.npy"), npy_bytes(tensor_of<float>(DType::float32, {2}, {1, 2})) + "x");
  for (const char* out : {"out.npy", "out.json", "-"}) {
    write_file(dir.file("out.npy"), "before");
    write_file(dir.file("out.json"), "before");
    const std::vector<Words> calls = {
        {"gather", "[1,2]", "[0,7]", "-o", out},
        {"gather", "bad.npy", "[0]", "-o", out},
        {"gathernd", "[[1,2]]", "[[0,7]]", "-o", out},
        {"gatherelements", "[1,2]", "[0,-3]", "-o", out},
        {"scatterelements", "[1,2]", "[7]", "[1]", "-o", out},
        {"scatternd", "[1,2]", "[[0],[7]]", "[1,2]", "-o", out},
        {"scatterupdate", "[1,2]", "[7]", "[1]", "-o", out},
        {"scatternd", "[1,2]", "[[0]]", "[1,2]", "-o", out},
        {"expand", "[1,2]", "--shape", "3", "-o", out},
        {"convert", R"({"dtype":"float32","data":[1,300]})", "--dtype", "int8", "-o", out},
        {"convert", "bad.npy", "-o", out},
    };
    for (const Words& call : calls) {
      CAPTURE(join(call, " "));
      const ProcessResult result = run_in(dir, call);
      CHECK(result.status == 2);
      CHECK(result.out.empty());
      CHECK(result.err.starts_with(cat("tensorop: ", call[0], ": ")));
      CHECK(std::ranges::count(result.err, '\n') == 1);
      CHECK(get(dir.file("out.npy")) == "before");
      CHECK(get(dir.file("out.json")) == "before");
      CHECK(names_in(dir.path()) == std::set<std::string>{"bad.npy", "out.json", "out.npy"});
    }
  }
}

TEST_CASE("the output may be one of the inputs", "[cli][output]") {
  const TempDir dir;
  const Tensor data = tensor_of<std::int32_t>(DType::int32, {4}, {10, 11, 12, 13});
  const Tensor reversed = tensor_of<std::int32_t>(DType::int32, {4}, {13, 12, 11, 10});
  const Tensor indices = tensor_of<std::int32_t>(DType::int32, {4}, {3, 2, 1, 0});
  const auto reset = [&] {
    write_file(dir.file("a.npy"), npy_bytes(data));
    write_file(dir.file("i.npy"), npy_bytes(indices));
  };
  reset();
  check_done(run_in(dir, {"gather", "a.npy", "i.npy", "-o", "a.npy"}));
  CHECK(get(dir.file("a.npy")) == npy_bytes(reversed));
  reset();
  check_done(run_in(dir, {"gather", "a.npy", "i.npy", "-o", "i.npy"}));
  CHECK(get(dir.file("i.npy")) == npy_bytes(reversed));
  CHECK(get(dir.file("a.npy")) == npy_bytes(data));
  for (const char* out : {"a.npy", "i.npy"}) {
    reset();
    check_done(run_in(dir, {"scatterelements", "a.npy", "i.npy", "a.npy", "-o", out}));
    CHECK(get(dir.file(out)) == npy_bytes(reversed));
  }
  reset();
  check_done(run_in(dir, {"convert", "a.npy", "--dtype", "int32", "-o", "a.npy"}));
  CHECK(get(dir.file("a.npy")) == npy_bytes(data));
  check_done(run_in(dir, {"expand", "a.npy", "--shape", "2,4", "-o", "a.npy"}));
  CHECK(get(dir.file("a.npy")) ==
        npy_bytes(tensor_of<std::int32_t>(DType::int32, {2, 4}, {10, 11, 12, 13, 10, 11, 12, 13})));
}

TEST_CASE("a link is followed, a mode kept, the umask obeyed, another name left alone", "[cli][output]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "far");
  write_file(dir.file("far/target"), "before");
  fs::create_symlink("far/target", dir.path() / "link.npy");
  fs::create_hard_link(dir.path() / "far/target", dir.path() / "other");
  fs::permissions(dir.path() / "far/target", fs::perms(0640));
  check_done(shell(dir, "umask 077; \"$B\" gather '[1,2]' '[1,0]' -o link.npy"));
  CHECK(fs::is_symlink(dir.path() / "link.npy"));
  CHECK(get(dir.file("far/target")) == npy_of_result());
  CHECK(fs::status(dir.path() / "far/target").permissions() == fs::perms(0640));
  CHECK(get(dir.file("other")) == "before");
  check_done(shell(dir, "umask 027; \"$B\" gather '[1,2]' '[1,0]' -o new.npy"));
  CHECK(fs::status(dir.path() / "new.npy").permissions() == fs::perms(0640));
  CHECK(names_in(dir.path() / "far") == std::set<std::string>{"target"});
}

TEST_CASE("a standard output that is a file is written on, not replaced", "[cli][output]") {
  const TempDir dir;
  check_done(shell(dir,
                   "{ echo head; \"$B\" gather '[1,2]' '[1,0]' -o /dev/stdout --format nested; "
                   "\"$B\" gather '[1,2]' '[1,0]' --format nested; echo tail; } >out"));
  CHECK(get(dir.file("out")) == "head\n[2,1]\n[2,1]\ntail\n");
}

TEST_CASE("a FIFO is written as a stream, after everything that can fail", "[cli][output]") {
  const TempDir dir;
  check_done(shell(dir,
                   "mkfifo pipe; { cat pipe >copy & } ; \"$B\" gather '[1,2]' '[1,0]' -o pipe --format npy; "
                   "wait"));
  CHECK(get(dir.file("copy")) == npy_of_result());
  CHECK(fs::is_fifo(dir.path() / "pipe"));
  for (const char* format : {"npy", "json"}) {
    const ProcessResult result =
        shell(dir, cat("{ cat pipe >copy & } ; \"$B\" gather '[1,2]' '[1,7]' -o pipe --format ", format,
                       "; echo $?; wait"));
    CHECK(result.out == "2\n");
    CHECK(get(dir.file("copy")).empty());
  }
}

TEST_CASE("an index that is wrong at the end of a large result stops a stream before its first byte",
          "[cli][output]") {
  const TempDir dir;
  constexpr std::int64_t kRows = 400000;
  std::vector<std::int64_t> indices(kRows, 1);
  indices.back() = 9;
  write_file(dir.file("i.npy"), npy_bytes(tensor_of(DType::int64, {kRows, 1}, indices)));
  for (const char* format : {"npy", "json", "nested"}) {
    for (const char* threads : {"1", "3"}) {
      const ProcessResult result =
          run_in(dir, {"gathernd", "[[1,2],[3,4]]", "i.npy", "--format", format, "--threads", threads});
      check_refused(result,
                    "gathernd: indices[399999,0] = 9 is out of range for axis 0 of data (size 2; allowed "
                    "-2..1) [IX-1]");
    }
  }
}

TEST_CASE("a full device is an error with path and reason", "[cli][output]") {
  const TempDir dir;
  check_refused(run_in(dir, gather_with({"-o", "/dev/full", "--format", "npy"})),
                "gather: /dev/full: cannot write: No space left on device");
  check_refused(shell(dir, "\"$B\" gather '[1,2]' 0 >/dev/full"),
                "gather: standard output: cannot write: No space left on device");
  for (const char* command : {"--help", "--version", "gather --help"}) {
    check_refused(shell(dir, cat("\"$B\" ", command, " >/dev/full")),
                  "standard output: cannot write: No space left on device");
  }
  write_file(dir.file("a.json"), "[1]");
  for (const char* options :
       {"--format npz", "--format npz --compress", "--format safetensors", "--format npy --dtype float32"}) {
    check_refused(shell(dir, cat("\"$B\" convert a.json -o /dev/full ", options)),
                  "convert: /dev/full: cannot write: No space left on device");
  }
  for (const char* command : {"ops", "ops --json", "info a.json"}) {
    const std::string name = std::string(command).substr(0, std::string(command).find(' '));
    check_refused(shell(dir, cat("\"$B\" ", command, " >/dev/full")),
                  cat(name, ": standard output: cannot write: No space left on device"));
  }
}

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

TEST_CASE("a standard output that is closed is an error where it is needed", "[cli][output]") {
  const TempDir dir;
  check_refused(shell(dir, "\"$B\" gather '[1,2]' 0 >&-"),
                "gather: standard output: cannot write: Bad file descriptor");
  check_done(shell(dir, "\"$B\" gather '[1,2]' '[1,0]' -o a.npy >&- 2>&- <&-"));
  CHECK(get(dir.file("a.npy")) == npy_of_result());
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

TEST_CASE("a result that is impossible is refused at once, to files and to streams", "[cli][output]") {
  const TempDir dir;
  const auto before = std::chrono::steady_clock::now();
  for (const Words& where :
       std::vector<Words>{{"-o", "out.npy"}, {"-o", "out.json"}, {}, {"--format", "npy"}}) {
    const auto refused = [&](Words call, const std::string& message) {
      call.insert(call.end(), where.begin(), where.end());
      CAPTURE(join(call, " "));
      check_refused(run_in(dir, call), message);
    };
    refused({"expand", "1", "--shape", "1000000,1000000,1000000"},
            "expand: the result of shape (1000000,1000000,1000000) would have 8000000000000000000 bytes (at "
            "most 2^47) [G-2]");
    refused({"expand", "true", "--shape", "1000000000,1000000000"},
            "expand: the result of shape (1000000000,1000000000) would have 1000000000000000000 bytes (at "
            "most 2^47) [G-2]");
    refused(
        {"expand", "1", "--shape", "4294967296,4294967296"},
        "expand: shape (4294967296,4294967296) has more elements of 8 bytes than fit in 2^63 bytes [G-2]");
    refused(
        {"expand", "1", "--shape", "9223372036854775807,2"},
        "expand: shape (9223372036854775807,2) has more elements of 8 bytes than fit in 2^63 bytes [G-2]");
    refused({"expand", "1", "--shape", "9223372036854775808"},
            "expand: shape '9223372036854775808' is not a list of integers [BC-T1]");
  }
  // More than is free: by the exact size of NPY, by the least that JSON can take.
  for (const char* name : {"out.npy", "out.json"}) {
    const ProcessResult result = run_in(dir, {"expand", "true", "--shape", "100000,1000000000", "-o", name});
    CHECK(result.err.starts_with(cat("tensorop: expand: ", name, ": the result needs at least ")));
    CHECK(result.status == 2);
  }
  CHECK(names_in(dir.path()).empty());
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(5));
}

TEST_CASE("the same bytes come out for any number of threads", "[cli][output]") {
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

TEST_CASE("kill -9 at 100 moments leaves the old destination or the new one", "[cli][output][kill]") {
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
  // Whatever was left goes with the next result.
  check_done(shell(dir, large_write(7, kElements)));
  CHECK(names_in(dir.path()) == std::set<std::string>{"out.npy"});
}

TEST_CASE("a signal at any moment leaves no other file and ends the program by that signal",
          "[cli][output][kill]") {
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
  write_file(dir.file("a.npy"), npy_of_result());
  check_refused(shell(dir, "ulimit -n 3; \"$B\" gather '[1,2]' '[1,0]' -o out.npy"),
                "gather: out.npy: cannot write: Too many open files");
  check_refused(shell(dir, "ulimit -n 3; \"$B\" gather a.npy 0"),
                "gather: data: a.npy: cannot open: Too many open files");
  CHECK(get(dir.file("out.npy")) == "before");
  CHECK(names_in(dir.path()) == std::set<std::string>{"a.npy", "out.npy"});
  check_done(shell(dir, "ulimit -n 8; \"$B\" gather '[1,2]' '[1,0]' -o out.npy"));
  CHECK(get(dir.file("out.npy")) == npy_of_result());
}
#endif

TEST_CASE("a file system that is full is an error with path and both sizes", "[cli][output]") {
  const TempDir dir;
  // In a name space of its own, where the user may have one.
  const std::string mounted = "unshare -m sh -c 'mkdir small && mount -t tmpfs -o size=64k none small && ";
  if (shell(dir, mounted + "true'; s=$?; rmdir small; exit $s").status != 0) return;
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

}  // namespace tensorop
