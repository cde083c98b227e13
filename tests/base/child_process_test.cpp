// Programs that are started: what they get, how they end, and that nothing of them is left.
#include "base/process/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/files/temporary_entry.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_child_process_test {
namespace {

using Kind = ChildEnd::Kind;

// Longer than any test takes.
constexpr std::chrono::seconds kLong{600};

ChildEnd shell(const std::string& script, std::chrono::duration<double> timeout = kLong) {
  return run_child({"/bin/sh", "-c", script}, timeout);
}

// Fails one kind of call.
class Without : public System {
 public:
  explicit Without(std::string call) : call_(std::move(call)) {}
  int pipe(int ends[2]) override { return fails("pipe") ? -1 : System::pipe(ends); }
  int spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
            const posix_spawnattr_t* attributes, char* const* words) override {
    return fails("spawn") ? errno : System::spawn(child, program, actions, attributes, words);
  }
  int pidfd_open(pid_t child) override { return fails("pidfd_open") ? -1 : System::pidfd_open(child); }
  int mkdir(const char* path, mode_t mode) override {
    return fails("mkdir") ? -1 : System::mkdir(path, mode);
  }

 private:
  bool fails(const std::string& call) {
    errno = EMFILE;
    return call == call_;
  }
  std::string call_;
};

class SlowReader : public System {
 public:
  ssize_t read(int fd, void* buffer, std::size_t /*bytes*/) override { return System::read(fd, buffer, 1); }
};

}  // namespace

TEST_CASE("how a program ended, and what it wrote, is what run_child says", "[base][child]") {
  struct Row {
    std::string script;
    Kind kind;
    int status;
    std::string output;
  };
  for (const Row& row : std::vector<Row>{
           {"exit 0", Kind::exited, 0, ""},
           {"echo out; echo err >&2; exit 3", Kind::exited, 3, "out\nerr\n"},
           {"kill -SEGV $$", Kind::signalled, 11, ""},
           {"kill -KILL $$", Kind::signalled, 9, ""},
           // It reads nothing, whatever this process has there.
           {"cat; echo end", Kind::exited, 0, "end\n"},
           // A process that it leaves running ends with it, though it holds the pipe open.
           {"sleep 1000 & echo begun", Kind::exited, 0, "begun\n"},
       }) {
    CAPTURE(row.script);
    const ChildEnd end = shell(row.script);
    CHECK(end.kind == row.kind);
    CHECK(end.status == row.status);
    CHECK(end.output == row.output);
    CHECK_FALSE(end.is_output_cut);
  }
}

TEST_CASE("a program that takes too long is killed with all that it has started", "[base][child]") {
  const TempDir dir;
  const std::string fifo = dir.file("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  // Open for as long as one of the two programs lives; a reader is needed before they can open it.
  const FileDescriptor reading(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const ChildEnd end =
      shell("exec 3>" + fifo + "; echo begun; sleep 1000 & sleep 1000", std::chrono::duration<double>(0.2));
  CHECK(end.kind == Kind::timed_out);
  REQUIRE(::fcntl(reading.get(), F_SETFL, 0) == 0);
  char byte = 0;
  CHECK(::read(reading.get(), &byte, 1) == 0);
}

TEST_CASE("a program gets no descriptor of this process, and no blocked signal", "[base][child]") {
  const FileDescriptor open(::open("/dev/null", O_RDONLY));
  REQUIRE(::fcntl(open.get(), F_DUPFD, 100) >= 100);  // not closed on exec
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  REQUIRE(::pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
  CHECK(shell("[ -e /proc/$$/fd/2 ] && echo 2; [ -e /proc/$$/fd/100 ] || echo none").output == "2\nnone\n");
  CHECK(
      shell("while read -r key value; do [ $key = SigBlk: ] && echo $value; done < /proc/$$/status").output ==
      "0000000000000000\n");
  CHECK(shell("kill -TERM $$; echo alive").kind == Kind::signalled);
  REQUIRE(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  // Its process group is its own: field 5 of stat, beside its number.
  CHECK(shell("read -r pid name state parent group rest < /proc/$$/stat; [ $group = $pid ] && echo own")
            .output == "own\n");
  ::close(100);
}

TEST_CASE("of endless output only the end is kept", "[base][child]") {
  const ChildEnd end = shell("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done");
  CHECK(end.output.size() == ChildEnd::kMostOutput);
  CHECK(end.is_output_cut);
  CHECK(end.output.ends_with("line 1998\nline 1999\n"));
  for (const std::size_t bytes : {ChildEnd::kMostOutput, ChildEnd::kMostOutput + 1}) {
    const ChildEnd exact = shell(cat("head -c ", bytes, " /dev/zero"));
    CHECK(exact.output.size() == ChildEnd::kMostOutput);
    CHECK(exact.is_output_cut == (bytes > ChildEnd::kMostOutput));
  }
  // It has always written more than was read.
  SlowReader slow;
  const ScopedSystem scoped(slow);
  CHECK(shell("yes", std::chrono::duration<double>(0.2)).kind == Kind::timed_out);
}

TEST_CASE("a program that cannot be started has ended so, with the reason", "[base][child]") {
  const TempDir dir;
  write_file(dir.file("text"), "no program");
  const auto reason_of = [](const std::string& program) {
    const ChildEnd end = run_child({program}, kLong);
    CHECK(end.kind == Kind::not_started);
    CHECK_FALSE(end.has_succeeded());
    CHECK_FALSE(end.has_declined());
    return end.status;
  };
  CHECK(reason_of(dir.file("none")) == ENOENT);
  CHECK(reason_of("no-such-program-at-all") == ENOENT);
  CHECK(reason_of(dir.file("text")) == EACCES);
  {
    Without without("spawn");
    const ScopedSystem scoped(without);
    CHECK(reason_of("sleep") == EMFILE);
  }
  for (const char* call : {"pipe", "pidfd_open"}) {
    CAPTURE(call);
    Without without(call);
    const ScopedSystem scoped(without);
    const std::string what = call == std::string("pidfd_open") ? "watch" : "start";
    CHECK(error_of([&] {
            (void)run_child({"sleep", "1000"}, kLong);
          }) == "sleep: cannot " + what + ": Too many open files");
  }
}

TEST_CASE("a program that goes on has its time again", "[base][child]") {
  constexpr std::chrono::duration<double> kShort(0.05);
  int calls = 0;
  const ChildEnd end =
      run_child({"sleep", "1000"}, kShort, [&]() -> std::optional<std::chrono::duration<double>> {
        ++calls;
        return calls < 3 ? std::optional(kShort / 2) : std::nullopt;
      });
  CHECK(end.kind == Kind::timed_out);
  CHECK(calls == 3);
  calls = 0;
  // The last progress is as old as the limit.
  (void)run_child({"sleep", "1000"}, kShort, [&]() -> std::optional<std::chrono::duration<double>> {
    ++calls;
    return kShort;
  });
  CHECK(calls == 1);
}

TEST_CASE("a temporary folder goes with all that is in it", "[base][child]") {
  const TempDir dir;
  const TempDir other;
  write_file(other.file("stays"), "");
  REQUIRE(::setenv("TMPDIR", dir.path().c_str(), 1) == 0);
  std::string path;
  {
    const auto folder = make_private_directory();
    path = folder->path();
    CHECK(path.starts_with(dir.path().string() + "/.tensorop-"));
    std::filesystem::create_directories(path + "/a/b/c");
    for (int i = 0; i < 300; ++i) write_file(path + "/a/b/file " + std::to_string(i), "");
    std::filesystem::create_directory_symlink(other.path(), path + "/a/link");
    CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms::owner_all);
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(std::filesystem::exists(other.path() / "stays"));
  {
    Without without("mkdir");
    const ScopedSystem scoped(without);
    CHECK(error_of([] { (void)make_private_directory(); }) ==
          dir.path().string() + ": cannot create a temporary directory: Too many open files");
  }
  REQUIRE(::unsetenv("TMPDIR") == 0);
}

}  // namespace tensorop::base_child_process_test
