// Results through the real program that others limit, and inputs that they change. The rest is in output.md;
// signals, kill -9 and two writers of one destination: tests/faults.
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"
#include "support/skip.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"
#include "tensorop/program.hpp"

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
      // Another file takes its name.
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

TEST_CASE("an archive that changes while an edit of it waits for an array is named", "[cli][output]") {
  for (const char* format : {"npz", "safetensors"}) {
    CAPTURE(format);
    const TempDir dir;
    const std::string archive = cat("a.", format);
    check_done(run_in(dir, {"convert", "a=[1,2]", "-o", archive}));
    const ProcessResult result =
        shell(dir, cat("mkfifo new; $B convert ", archive, " b=new -o out.", format, " & exec 3>new; touch ",
                       archive, "; echo [1] >&3; exec 3>&-; wait $!"));
    check_refused(result, cat("convert: ", archive, ": changed while it was read"));
    CHECK(names_in(dir.path()) == std::set<std::string>{archive, "new"});
  }
}

TEST_CASE("run --fsync brings each result to the disk", "[cli][output]") {
  class CountingSystem : public System {
   public:
    int fsync(int fd) override {
      ++calls;
      return System::fsync(fd);
    }
    int calls = 0;
  };
  const TempDir dir;
  const std::string jobs = dir.file("jobs");
  write_file(jobs, R"({"op":"add","a":1,"b":1,"output":"1.npy"}
{"op":"add","a":1,"b":2,"output":"2.npy"})");
  CountingSystem system;
  const ScopedSystem scope(system);
  CHECK(run_program(std::vector{"run", jobs.c_str(), "-q"}) == 0);
  CHECK(system.calls == 0);
  CHECK(run_program(std::vector{"run", jobs.c_str(), "-q", "--fsync"}) == 0);
  CHECK(system.calls == 4);  // the file and its folder, twice
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

namespace {

// Runs a script in a folder and name space where file systems can be mounted, with a small one in `small`,
// and the files noise and big, which do not deflate, beside it. Nothing where that cannot be.
std::optional<ProcessResult> run_with_mounts(const TempDir& dir, int kilobytes, const std::string& script) {
  const std::string mounted =
      cat("unshare -m sh -c 'mkdir small && mount -t tmpfs -o size=", kilobytes, "k none small && ");
  if (shell(dir, mounted + "true'; s=$?; rmdir small; exit $s").status != 0) {
    skip("no file system is mounted here, as in a chroot");
    return std::nullopt;
  }
  Random random(1);
  for (const auto& [name, bytes] : {std::pair("noise", 30'000), {"big", 150'000}}) {
    std::string content(static_cast<std::size_t>(bytes), '\0');
    for (char& c : content) c = static_cast<char>(random.bits());
    write_file(dir.file(name), content);
  }
  return shell(dir, cat(mounted, "cd small; ", script, "'"));
}

}  // namespace

TEST_CASE("a file system that is full is an error with path and both sizes", "[cli][output]") {
  const TempDir dir;
  // Large enough once it is deflated; too large by its size; large enough; too large only once it is written.
  const auto result = run_with_mounts(
      dir, 64,
      "head -c 100000 /dev/zero > ../zeros; $B convert a=[1] --compress -o d.npz; "
      "for how in --dry-run -q; do $B convert d.npz x=uint8[100000]@../zeros $how -o d.npz >../lines; done; "
      "rm d.npz; "
      "$B expand 1 --shape 9 -o old.npy; cp old.npy same; $B expand 1 --shape 100000 -o old.npy; "
      "$B expand 1 --shape 20000 --format nested -o out.json; "
      "$B expand 7777 --shape 8000 --format nested -o new.json; cmp old.npy same; ls -A");
  if (!result) return;
  CHECK(result->err ==
        "tensorop: expand: old.npy: the result needs at least 800128 bytes, 57344 are free on that file "
        "system\n"
        "tensorop: expand: new.json: cannot write: No space left on device\n");
  CHECK(result->out == "old.npy\nout.json\nsame\n");
}

TEST_CASE("an archive stays as it was where its edit is refused by a full, mounted or read-only place",
          "[cli][output]") {
  struct Case {
    std::string call;
    std::string message;
  };
  const std::string big = "uint8[150000]@../big";
  const std::string needs = ": the result needs at least ";
  const std::string full = ": cannot write: No space left on device\n";
  const std::vector<Case> cases = {
      {cat(big, " -o s.npz:c"), cat("s.npz", needs, "150000")},
      {cat("s.npz c=", big, " -o s.npz"), cat("s.npz", needs, "150000")},
      {cat("s.npz c=", big, " -o s.npz --dry-run"), cat("s.npz", needs, "180272")},
      // How much is deflated is seen only when it is written.
      {cat(big, " -o d.npz:c"), "d.npz" + full},
      {cat("d.npz c=", big, " -o d.npz"), "d.npz" + full},
      {cat("s.npz c=", big, " -o s.npz --compress"), "s.npz" + full},
      {cat(big, " -o m.safetensors:c"), cat("m.safetensors", needs, "180208")},
      {cat("m.safetensors c=", big, " -o m.safetensors"), cat("m.safetensors", needs, "180208")},
      {cat("m.safetensors c=", big, " -o m.safetensors --dry-run"), cat("m.safetensors", needs, "180016")},
      {cat(big, " -o m.safetensors.index.json:a -q"), cat("./m.safetensors", needs, "150144")},
      {"[3] -o over.npz:b -q",
       "over.npz: cannot replace the file: it is mounted there\nhint: cat RESULT > "
       "over.npz writes another file's bytes into it\n"},
      {"over.npz --rename-regex a=z -o over.npz", "over.npz: cannot replace the file: it is mounted there"},
      {"[3] -o read/s.npz:b -q", "read/s.npz: cannot write: Read-only file system\n"},
      {"[3] -o read/n.npz", "read/n.npz: cannot write in folder read: Read-only file system\n"},
      {"x=[3] -o read/n.npz --dry-run", "read/n.npz: cannot write in folder read: Read-only file system\n"},
      {"[3] -o read/m.safetensors.index.json:b -q",
       "read/m.safetensors: cannot write: Read-only file system\n"},
  };
  std::string script =
      "$B convert a=uint8[30000]@../noise b=[1,2] -o s.npz; $B convert s.npz --compress -o d.npz; "
      "$B convert s.npz -o m.safetensors; mkdir read; "
      "echo \"{\\\"weight_map\\\":{\\\"a\\\":\\\"m.safetensors\\\",\\\"b\\\":\\\"m.safetensors\\\"}}\" > "
      "m.safetensors.index.json; "
      "touch over.npz; cp s.npz m.safetensors m.safetensors.index.json read; "
      "mount --bind s.npz over.npz; mount --bind read read; mount -o remount,ro,bind read; "
      "find . -type f | xargs cksum > ../before; ";
  for (const Case& one : cases) script += cat("$B convert ", one.call, "; echo $? >&2; ");
  const TempDir dir;
  const auto result = run_with_mounts(dir, 256, script + "find . -type f | xargs cksum | cmp - ../before");
  if (!result) return;
  CHECK(result->out.empty());
  std::string_view rest = result->err;
  for (const Case& one : cases) {
    CAPTURE(one.call, rest);
    CHECK(rest.starts_with(cat("tensorop: convert: ", one.message)));
    const std::size_t end = rest.find("\n2\n");
    REQUIRE(end != std::string_view::npos);
    rest.remove_prefix(end + 3);
  }
  CHECK(rest.empty());
}

}  // namespace tensorop::cli_output_test
