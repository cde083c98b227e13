// Publishing: a result stands under its destination's name whole or not at all, whatever fails or interrupts.
#include "base/files/output_file.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/files/mapping.hpp"
#include "base/files/output_folder.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/faulty_system.hpp"
#include "support/files.hpp"
#include "support/skip.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_output_file_test {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

void put(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

void publish(const std::string& path, std::string_view text) {
  OutputFile file = OutputFile::create(path);
  file.append(bytes_of(text));
  file.commit();
}

mode_t mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

// The umask is `mask` as long as this object lives.
struct UmaskScope {
  explicit UmaskScope(mode_t mask) : before(::umask(mask)) {}
  ~UmaskScope() { ::umask(before); }
  UmaskScope(const UmaskScope&) = delete;
  UmaskScope& operator=(const UmaskScope&) = delete;
  mode_t before;
};

bool has_unnamed_files(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

// Runs `body` in a child that is nobody where the test is root, and returns the text it returns.
std::string as_ordinary_user(const std::function<std::string()>& body) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr unsigned kNobody = 65534;
    const bool is_root = ::geteuid() == 0;
    if (is_root && (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      ::_exit(1);
    }
    const std::string text = body();
    ::_exit(::write(pipe[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(pipe[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(pipe[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  return text;
}

}  // namespace

TEST_CASE("an existing file stands as it was until the commit", "[base][output]") {
  const TempDir dir;
  const std::string path = dir.file("old");
  put(path, "before");
  OutputFile file = OutputFile::create(path);
  file.reserve(5);
  file.write_at(3, bytes_of("er"));
  file.write_at(0, bytes_of("aft"));
  CHECK(get(path) == "before");
  file.commit();
  CHECK(get(path) == "after");
  CHECK(names_in(dir.path()) == std::set<std::string>{"old"});
}

TEST_CASE("a file that is not committed leaves nothing and changes nothing", "[base][output]") {
  const TempDir dir;
  put(dir.file("old"), "before");
  NamedOnlySystem named_only;
  for (const bool named : {false, true}) {
    CAPTURE(named);
    std::optional<ScopedSystem> scope;
    if (named) scope.emplace(named_only);
    {
      OutputFile first = OutputFile::create(dir.file("old"));
      first.append(bytes_of("lost"));
      OutputFile second = OutputFile::create(dir.file("new"));
      second.reserve(4);
      // A moved-from object has nothing left to remove.
      const OutputFile moved = std::move(second);
      CHECK(names_in(dir.path()).size() == (named ? 3U : 1U));
    }
    CHECK(names_in(dir.path()) == std::set<std::string>{"old"});
    CHECK(get(dir.file("old")) == "before");
  }
}

TEST_CASE("a moved file is published once, by its last owner", "[base][output]") {
  const TempDir dir;
  NamedOnlySystem named_only;
  const ScopedSystem scope(named_only);
  OutputFile first = OutputFile::create(dir.file("out"));
  first.append(bytes_of("whole"));
  {
    OutputFile second = std::move(first);
    second.commit();
  }
  CHECK(get(dir.file("out")) == "whole");
  CHECK(names_in(dir.path()) == std::set<std::string>{"out"});
}

TEST_CASE("the mode of a new file follows the umask", "[base][output]") {
  const TempDir dir;
  NamedOnlySystem named_only;
  for (const bool named : {false, true}) {
    std::optional<ScopedSystem> scope;
    if (named) scope.emplace(named_only);
    for (const auto& [mask, mode] : {std::pair<mode_t, mode_t>{022, 0644}, {077, 0600}, {0, 0666}}) {
      CAPTURE(named, mask);
      const UmaskScope umask(mask);
      const std::string path = dir.file(cat("mask-", mask, named ? "-named" : ""));
      publish(path, "x");
      CHECK(mode_of(path) == mode);
    }
  }
}

TEST_CASE("an existing file keeps its mode, whatever the umask", "[base][output]") {
  const TempDir dir;
  const UmaskScope umask(077);
  for (const mode_t mode : {0600U, 0644U, 0664U, 0755U, 0666U}) {
    CAPTURE(mode);
    const std::string path = dir.file("file");
    put(path, "before");
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    publish(path, "after");
    CHECK(mode_of(path) == mode);
    CHECK(get(path) == "after");
  }
}

TEST_CASE("an existing file keeps its owner and group where the system allows", "[base][output]") {
  if (::geteuid() != 0) return skip("root alone gives files away");
  const TempDir dir;
  const std::string path = dir.file("file");
  put(path, "before");
  REQUIRE(::chown(path.c_str(), 1234, 5678) == 0);
  REQUIRE(::chmod(path.c_str(), 06750) == 0);
  publish(path, "after");
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK(info.st_uid == 1234);
  CHECK(info.st_gid == 5678);
  CHECK((info.st_mode & 07777) == 06750);
}

// A group of its own may do what all others may.
TEST_CASE("an owner that cannot be kept is no error, and the group is kept by itself", "[base][output]") {
  class NoOwnerSystem : public System {
   public:
    explicit NoOwnerSystem(bool keeps_group) : keeps_group_(keeps_group) {}
    int fchown(int fd, uid_t owner, gid_t group) override {
      if (!keeps_group_ || owner != static_cast<uid_t>(-1)) {
        errno = EPERM;
        return -1;
      }
      return System::fchown(fd, owner, group);
    }

   private:
    bool keeps_group_;
  };
  if (::geteuid() != 0) return skip("root alone gives files away");
  const TempDir dir;
  const std::string path = dir.file("file");
  for (const bool keeps_group : {true, false}) {
    CAPTURE(keeps_group);
    put(path, "before");
    REQUIRE(::chown(path.c_str(), 1234, 5678) == 0);
    REQUIRE(::chmod(path.c_str(), 0674) == 0);
    NoOwnerSystem no_owner(keeps_group);
    const ScopedSystem scope(no_owner);
    publish(path, "after");
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK(info.st_uid == 0);
    CHECK(info.st_gid == (keeps_group ? 5678U : ::getegid()));
    CHECK((info.st_mode & 07777) == (keeps_group ? 0674U : 0644U));
    CHECK(get(path) == "after");
  }
}

// With a list the bits of the group are its mask: the most that any listed user may do.
TEST_CASE("where an access list cannot be kept the group may do what all others may", "[base][output]") {
  static constexpr std::string_view kList = "system.posix_acl_access";
  class NoListSystem : public System {
   public:
    ssize_t getxattr(const char* path, const char* name, void* value, size_t bytes) override {
      return std::string_view(name) == kList ? 1 : System::getxattr(path, name, value, bytes);
    }
    int fsetxattr(int fd, const char* name, const void* value, size_t bytes) override {
      if (std::string_view(name) != kList) return System::fsetxattr(fd, name, value, bytes);
      errno = EPERM;
      return -1;
    }
  };
  const TempDir dir;
  const std::string path = dir.file("file");
  put(path, "before");
  REQUIRE(::chmod(path.c_str(), 0674) == 0);
  NoListSystem no_list;
  const ScopedSystem scope(no_list);
  publish(path, "after");
  CHECK(mode_of(path) == 0644);
}

TEST_CASE("a symbolic link is followed and stays; its target is replaced", "[base][output]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "far");
  struct Row {
    const char* what;
    std::vector<std::pair<std::string, std::string>> links;  // name, target
    std::string target;
    bool exists;
  };
  const std::vector<Row> rows = {
      {"relative", {{"a", "file-a"}}, "file-a", true},
      {"absolute", {{"b", dir.file("far/file-b")}}, "far/file-b", true},
      {"chain", {{"c", "far/c2"}, {"far/c2", "../c3"}, {"c3", "far/file-c"}}, "far/file-c", true},
      {"dangling", {{"d", "far/file-d"}}, "far/file-d", false},
      {"dangling chain", {{"e", "e2"}, {"e2", dir.file("far/file-e")}}, "far/file-e", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    for (const auto& [name, target] : row.links) fs::create_symlink(target, dir.path() / name);
    if (row.exists) put(dir.file(row.target), "before");
    publish(dir.file(row.links[0].first), "after");
    CHECK(get(dir.file(row.target)) == "after");
    CHECK_FALSE(fs::is_symlink(dir.path() / row.target));
    for (const auto& [name, target] : row.links) {
      CHECK(fs::is_symlink(dir.path() / name));
      CHECK(fs::read_symlink(dir.path() / name) == target);
    }
  }
  // The temporary file of each stood beside the target, and is gone.
  CHECK(names_in(dir.path() / "far") == std::set<std::string>{"c2", "file-b", "file-c", "file-d", "file-e"});
}

TEST_CASE("a relative destination and a relative link work from the working directory", "[base][output]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "sub");
  fs::create_symlink("sub/file", dir.path() / "link");
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  publish("link", "through the link");
  publish("plain", "straight");
  fs::current_path(before);
  CHECK(get(dir.file("sub/file")) == "through the link");
  CHECK(get(dir.file("plain")) == "straight");
}

TEST_CASE("the other name of a hard link keeps the old content", "[base][output]") {
  const TempDir dir;
  put(dir.file("one"), "before");
  fs::create_hard_link(dir.path() / "one", dir.path() / "two");
  publish(dir.file("one"), "after");
  CHECK(get(dir.file("one")) == "after");
  CHECK(get(dir.file("two")) == "before");
}

TEST_CASE("the output may be the input: a mapping of the old file stays whole", "[base][output]") {
  const TempDir dir;
  const std::string path = dir.file("both");
  put(path, "0123456789");
  const InputFile input = InputFile::open(path);
  OutputFile output = OutputFile::create(path);
  const auto bytes = input.mapping()->bytes();
  output.append(bytes.subspan(5));
  output.append(bytes.first(5));
  output.commit();
  CHECK(get(path) == "5678901234");
  CHECK(std::memcmp(bytes.data(), "0123456789", 10) == 0);
}

TEST_CASE("an empty output has an empty mapping", "[base][output]") {
  const TempDir dir;
  OutputFile empty = OutputFile::create(dir.file("empty"));
  empty.reserve(0);
  CHECK(empty.map(0).empty());
  empty.commit();
  CHECK(get(dir.file("empty")).empty());
}

TEST_CASE("a destination that cannot be written is refused with its path and the reason", "[base][output]") {
  const TempDir dir;
  put(dir.file("file"), "before");
  fs::create_directory(dir.path() / "folder");
  fs::create_symlink("loop", dir.path() / "loop");
  fs::create_symlink("nowhere/at all", dir.path() / "lost");
  const auto before = names_in(dir.path());
  const std::string long_name(300, 'n');
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"folder", cat("is a directory\nname a file in it: ", dir.file("folder/out.npy"))},
      {"folder/", cat("is a directory\nname a file in it: ", dir.file("folder/out.npy"))},
      {"missing/file", cat("folder ", dir.file("missing"), " does not exist")},
      {"missing/", cat("folder ", dir.file("missing"), " does not exist")},
      {"lost", cat("folder ", dir.file("nowhere"), " does not exist")},
      {"file/below", "Not a directory"},
      {"file/", "Not a directory"},
      {"loop", "Too many levels of symbolic links"},
      {long_name, "File name too long"},
  };
  for (const auto& [name, reason] : rows) {
    CAPTURE(name);
    const std::string path = dir.file(name);
    CHECK(error_of([&] { publish(path, "after"); }) == cat(printable(path), ": cannot write: ", reason));
  }
  CHECK(error_of([&] { publish("", "after"); }) == ": cannot write: No such file or directory");
  CHECK(names_in(dir.path()) == before);
  CHECK(get(dir.file("file")) == "before");
}

TEST_CASE("control characters in a path are escaped in the message", "[base][output]") {
  CHECK(error_of([] { publish("/nowhere\x1b[31m\n\xff/x", ""); }) ==
        "/nowhere\\x1b[31m\\n\\xff/x: cannot write: folder /nowhere\\x1b[31m\\n\\xff does not exist");
}

TEST_CASE("who may not write is refused, and the previous file is unchanged", "[base][output]") {
  const TempDir dir;
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  put(dir.file("read only"), "before");
  REQUIRE(::chmod(dir.file("read only").c_str(), 0444) == 0);
  fs::create_directory(dir.path() / "closed");
  put(dir.file("closed/writable"), "before");
  REQUIRE(::chmod(dir.file("closed/writable").c_str(), 0666) == 0);
  REQUIRE(::chmod(dir.file("closed").c_str(), 0555) == 0);
  // In a folder that only root may search, as the root of a chroot may be, the user does not even see
  // "closed".
  const bool is_seen = as_ordinary_user([&] {
                         return std::string(::access(dir.path().c_str(), X_OK) == 0 ? "seen" : "");
                       }) == "seen";
  for (const char* name : {"read only", "closed/writable", "closed/new"}) {
    CAPTURE(name);
    const std::string path = dir.file(name);
    const std::string line = as_ordinary_user([&] { return error_of([&] { publish(path, "after"); }); });
    const bool names_folder = is_seen && std::string_view(name).starts_with("closed/");
    const std::string where = names_folder ? cat(" in folder ", dir.file("closed")) : "";
    CHECK(line == cat(path, ": cannot write", where, ": Permission denied"));
  }
  CHECK(get(dir.file("read only")) == "before");
  CHECK(get(dir.file("closed/writable")) == "before");
  REQUIRE(::chmod(dir.file("closed").c_str(), 0755) == 0);
  CHECK(names_in(dir.path() / "closed") == std::set<std::string>{"writable"});
  CHECK(names_in(dir.path()) == std::set<std::string>{"closed", "read only"});
}

TEST_CASE("an ordinary user replaces a file of somebody else that anybody may write", "[base][output]") {
  const TempDir dir;
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  const std::string path = dir.file("file");
  put(path, "before");
  REQUIRE(::chmod(path.c_str(), 0666) == 0);
  const auto reaches = [&] { return std::string(::access(path.c_str(), W_OK) == 0 ? "yes" : "no"); };
  if (as_ordinary_user(reaches) == "no") {
    return skip("an ordinary user reaches no file here, as in a chroot whose root folder is closed");
  }
  CHECK(as_ordinary_user([&] { return error_of([&] { publish(path, "after"); }); }) == "no error");
  CHECK(get(path) == "after");
  CHECK(mode_of(path) == 0666);
}

TEST_CASE("a FIFO is written as a stream and stays a FIFO", "[base][output]") {
  const TempDir dir;
  const std::string path = dir.file("fifo");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string received;
  std::thread reader([&] { received = get(path); });
  {
    OutputFile file = OutputFile::create(path);
    CHECK(file.is_stream());
    file.append(bytes_of("through "));
    file.append(bytes_of("the pipe"));
    file.commit();
  }
  reader.join();
  CHECK(received == "through the pipe");
  CHECK(fs::is_fifo(path));
  CHECK(names_in(dir.path()) == std::set<std::string>{"fifo"});
}

TEST_CASE("devices are written as streams and never replaced", "[base][output]") {
  publish("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(error_of([] { publish("/dev/full", "no room"); }) ==
        "/dev/full: cannot write: No space left on device");
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("a name of an open descriptor is written where the descriptor stands", "[base][output]") {
  const TempDir dir;
  const std::string path = dir.file("redirected");
  put(path, "before");
  for (const bool appends : {false, true}) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (appends ? O_APPEND : 0));
    REQUIRE(fd > 2);
    CHECK(::write(fd, "(", 1) == 1);
    publish(cat("/dev/fd/", fd), "one");
    publish(cat("/proc/self/fd/", fd), "two");
    publish(cat("/proc/thread-self/fd/", fd), "three");
    publish(cat("/proc/", ::getpid(), "/fd/", fd), "four");
    const fs::path link = dir.path() / "link";
    fs::create_symlink(cat("/dev/fd/", fd), link);
    publish(link.string(), "five");
    fs::remove(link);
    CHECK(::write(fd, ")", 1) == 1);
    ::close(fd);
    CHECK(get(path) == (appends ? "(onetwothreefourfive)(onetwothreefourfive)" : "(onetwothreefourfive)"));
  }
  CHECK(error_of([] { publish("/dev/fd/999", "x"); }) == "/dev/fd/999: cannot write: Bad file descriptor");
}

TEST_CASE("other paths below /proc are paths: their file is replaced as a whole", "[base][output]") {
  const TempDir dir;
  const std::string path = dir.file("out");
  const auto check = [&](const std::string& name) {
    CAPTURE(name);
    put(path, "a longer text than the result");
    OutputFile file = OutputFile::create(name);
    CHECK_FALSE(file.is_stream());
    file.append(bytes_of("result"));
    CHECK(get(path) == "a longer text than the result");
    file.commit();
    CHECK(get(path) == "result");
    CHECK(names_in(dir.path()) == std::set<std::string>{"out"});
  };
  check(cat("/proc/self/root", path));
  const TempDir links;
  fs::create_symlink(cat("/proc/self/root", path), links.path() / "link");
  check(links.file("link"));
  const fs::path working = fs::current_path();
  fs::current_path(dir.path());
  check("/proc/self/cwd/out");
  fs::current_path(working);
  CHECK(error_of([] { publish("/proc/self/fd/01", "x"); }).starts_with("/proc/self/fd/01: cannot write: "));

  // A descriptor of another process: its file is found by its name, if it has one.
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const std::string name = cat("/proc/", child, "/fd/", fd);
  check(name);
  fs::remove(path);
  const int last = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  put(path, "other");
  CHECK(error_of([&] { publish(name, "x"); }) ==
        cat(name, ": cannot write: is a link to a file without a name"));
  ::close(last);
  ::close(fd);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("a temporary file or folder is never open to more users than what it replaces", "[base][output]") {
  class RecordingSystem : public NamedOnlySystem {
   public:
    using NamedOnlySystem::NamedOnlySystem;
    int open(const char* path, int flags, mode_t mode) override {
      if ((flags & (O_CREAT | O_TMPFILE)) != 0) modes |= mode;
      return NamedOnlySystem::open(path, flags, mode);
    }
    int mkdir(const char* path, mode_t mode) override {
      modes |= mode;
      return System::mkdir(path, mode);
    }
    mode_t modes = 0;
  };
  const UmaskScope umask(0);
  for (const bool named : {false, true}) {
    for (const mode_t mode : {0600U, 0640U}) {
      const TempDir dir;
      put(dir.file("out"), "before");
      fs::create_directory(dir.path() / "folder");
      REQUIRE(::chmod(dir.file("out").c_str(), mode) == 0);
      REQUIRE(::chmod(dir.file("folder").c_str(), mode | 0700U) == 0);
      RecordingSystem system(named);
      const ScopedSystem scope(system);
      publish(dir.file("out"), "after");
      CHECK((system.modes & ~mode) == 0);
      CHECK(mode_of(dir.file("out")) == mode);
      system.modes = 0;
      OutputFolder(dir.file("folder")).commit();
      CHECK((system.modes & ~(mode | 0700U)) == 0);
      CHECK(mode_of(dir.file("folder")) == (mode | 0700U));
    }
  }
}

TEST_CASE("a destination that appears between opening and commit is replaced", "[base][output]") {
  const TempDir dir;
  const std::string path = dir.file("out");
  OutputFile file = OutputFile::create(path);
  file.append(bytes_of("ours"));
  put(path, "theirs");
  file.commit();
  CHECK(get(path) == "ours");
  CHECK(names_in(dir.path()) == std::set<std::string>{"out"});
}

TEST_CASE("a directory that takes the destination's name before the commit is an error", "[base][output]") {
  const TempDir dir;
  const std::string path = dir.file("out");
  {
    OutputFile file = OutputFile::create(path);
    file.append(bytes_of("ours"));
    fs::create_directory(path);
    CHECK(error_of([&] { file.commit(); }) ==
          cat(path, ": cannot rename the result to its destination: Is a directory"));
  }
  CHECK(fs::is_directory(path));
  CHECK(names_in(dir.path()) == std::set<std::string>{"out"});
}

TEST_CASE("without unnamed files the result waits under a name of its own", "[base][output]") {
  const TempDir dir;
  NamedOnlySystem named_only;
  const ScopedSystem scope(named_only);
  const std::string long_name(255, 'n');
  for (const std::string& name : {std::string("out"), long_name}) {
    OutputFile file = OutputFile::create(dir.file(name));
    file.append(bytes_of("whole"));
    std::string temporary;
    for (const std::string& found : names_in(dir.path())) {
      if (found.starts_with(".tensorop-")) temporary = found;
    }
    CHECK(temporary.size() == std::strlen(".tensorop-XXXXXXXX.tmp"));
    CHECK(temporary.ends_with(".tmp"));
    CHECK(get(dir.file(temporary)) == "whole");
    file.commit();
    CHECK(get(dir.file(name)) == "whole");
  }
  CHECK(names_in(dir.path()) == std::set<std::string>{"out", long_name});
}

TEST_CASE("a temporary name that is taken is not used", "[base][output]") {
  // Something gets the name just before.
  class TakenSystem : public NamedOnlySystem {
   public:
    using NamedOnlySystem::NamedOnlySystem;
    int open(const char* path, int flags, mode_t mode) override {
      if ((flags & O_CREAT) != 0) occupy_path(path);
      return NamedOnlySystem::open(path, flags, mode);
    }
    int mkdir(const char* path, mode_t mode) override {
      occupy_path(path);
      return System::mkdir(path, mode);
    }
    int link_fd(int fd, const char* path) override {
      if (std::string_view(path).ends_with(".tmp")) occupy_path(path);
      return System::link_fd(fd, path);
    }
    int taken = 0;

   private:
    void occupy_path(const std::string& path) {
      if (taken++ % 3 != 2) put(path, "other");
    }
  };
  for (const bool named : {false, true}) {
    const TempDir dir;
    put(dir.file("out"), "before");
    TakenSystem system(named);
    const ScopedSystem scope(system);
    publish(dir.file("out"), "after");
    OutputFolder(dir.file("folder")).commit();
    CHECK(system.taken == 6);
    CHECK(get(dir.file("out")) == "after");
    CHECK(fs::is_directory(dir.path() / "folder"));
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      if (entry.path().filename().string().starts_with(".tensorop-")) CHECK(get(entry.path()) == "other");
    }
    CHECK(names_in(dir.path()).size() == 2 + 4);
  }
}

TEST_CASE("more than the file system has free is refused before anything is claimed", "[base][output]") {
  const TempDir dir;
  put(dir.file("old"), "before");
  {
    OutputFile file = OutputFile::create(dir.file("old"));
    const std::string line = error_of([&] { file.reserve(std::int64_t{1} << 62); });
    CHECK(line.starts_with(cat(dir.file("old"), ": the result needs at least 4611686018427387904 bytes, ")));
    CHECK(line.ends_with(" are free on that file system"));
  }
  CHECK(get(dir.file("old")) == "before");
  CHECK(names_in(dir.path()) == std::set<std::string>{"old"});
}

TEST_CASE("a result may take all the space that is free", "[base][output]") {
  class SmallSystem : public System {
   public:
    int fstatvfs(int /*fd*/, struct statvfs* out) override {
      *out = {};
      out->f_bsize = out->f_frsize = 1;
      out->f_bavail = 10;
      return 0;
    }
  };
  const TempDir dir;
  SmallSystem system;
  const ScopedSystem scope(system);
  OutputFile file = OutputFile::create(dir.file("out"));
  CHECK_NOTHROW(file.reserve(10));
  CHECK(error_of([&] { file.reserve(11); }) ==
        cat(dir.file("out"), ": the result needs at least 11 bytes, 10 are free on that file system"));
}

TEST_CASE("a file system that cannot claim space ahead gets a file of the right length", "[base][output]") {
  class NoFallocateSystem : public System {
   public:
    int fallocate(int /*fd*/, off_t /*bytes*/) override {
      errno = EOPNOTSUPP;
      return -1;
    }
  };
  const TempDir dir;
  NoFallocateSystem no_fallocate;
  const ScopedSystem scope(no_fallocate);
  OutputFile file = OutputFile::create(dir.file("out"));
  file.reserve(4);
  file.write_at(1, bytes_of("b"));
  file.commit();
  CHECK(get(dir.file("out")) == std::string("\0b\0\0", 4));
}

// ---------------------------------------------------------------------------------------------------------
// Calls of the system that fail. tests/faults lets each call of whole operations fail.

namespace {

void write_positioned(const std::string& path) {
  OutputFile file = OutputFile::create(path);
  file.reserve(10);
  file.write_at(0, bytes_of("01234"));
  file.write_at(5, bytes_of("56789"));
  const auto memory = file.map(10);
  memory[0] = std::byte{'A'};
  file.commit();
}

void write_appended(const std::string& path) {
  OutputFile file = OutputFile::create(path);
  file.append(bytes_of("A12"));
  file.append(bytes_of("3456789"));
  file.commit();
}

void write_durably(const std::string& path) {
  OutputFile file = OutputFile::create(path, true);
  file.append(bytes_of("A123456789"));
  file.commit();
}

}  // namespace

TEST_CASE("failures that lose nothing are no errors, all others are", "[base][output][fault]") {
  // By what can be done without: another name, a check that is made again, or a courtesy.
  const std::set<std::string> harmless = {"access", "fstatvfs", "fchown", "munmap"};
  const TempDir dir;
  for (int number = 1;; ++number) {
    const std::string path = dir.file(cat("out", number));
    put(path, "before");
    // On a file system with extended attributes, the calls that keep them fail too.
    (void)::setxattr(path.c_str(), "user.note", "mine", 4, 0);
    if (::geteuid() == 0) REQUIRE(::chown(path.c_str(), 1234, 5678) == 0);
    FaultySystem system(true, number, SystemFault::error, EIO);
    std::string line;
    {
      const ScopedSystem scope(system);
      line = error_of([&] { write_positioned(path); });
    }
    if (system.failed_call().empty()) break;
    CAPTURE(number, system.failed_call(), line);
    // The first open asks for an unnamed file, the first access whether the file may be written.
    if (system.failed_call() == "open" || system.failed_call() == "access") continue;
    CHECK((line == "no error") == harmless.contains(system.failed_call()));
  }
}

TEST_CASE("a durable result goes to the disk before it gets its name, and the name after", "[base][output]") {
  class RecordingSystem : public System {
   public:
    int fsync(int fd) override {
      struct stat info {};
      ::fstat(fd, &info);
      calls += S_ISDIR(info.st_mode) ? "folder " : "file ";
      return System::fsync(fd);
    }
    int link_fd(int fd, const char* path) override {
      const int status = System::link_fd(fd, path);
      if (status == 0) calls += "link ";
      return status;
    }
    int rename(const char* from, const char* to) override {
      calls += "rename ";
      return System::rename(from, to);
    }
    std::string calls;
  };
  const TempDir dir;
  if (!has_unnamed_files(dir.path())) return skip("the file system has no unnamed files");
  RecordingSystem system;
  const ScopedSystem scope(system);
  write_durably(dir.file("out"));
  CHECK(std::exchange(system.calls, "") == "file link folder ");
  write_durably(dir.file("out"));
  CHECK(std::exchange(system.calls, "") == "file link rename folder ");
  write_appended(dir.file("out"));
  CHECK(std::exchange(system.calls, "") == "link rename ");
}

TEST_CASE("what only a pipe cannot do is an error of a durable file", "[base][output][fault]") {
  class NoSyncSystem : public System {
   public:
    int fsync(int /*fd*/) override {
      errno = EINVAL;
      return -1;
    }
  };
  const TempDir dir;
  NoSyncSystem system;
  const ScopedSystem scope(system);
  CHECK(error_of([&] { write_durably(dir.file("out")); }) ==
        cat(dir.file("out"), ": cannot write to the disk: Invalid argument"));
  CHECK(names_in(dir.path()).empty());
  CHECK(error_of([] { write_durably("/dev/null"); }) == "no error");
}

TEST_CASE("writing that is interrupted again and again goes on", "[base][output][fault]") {
  class InterruptedSystem : public System {
   public:
    ssize_t write(int fd, const void* buffer, size_t bytes) override {
      return interrupt() ? -1 : System::write(fd, buffer, std::min<size_t>(bytes, 3));
    }
    ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t offset) override {
      return interrupt() ? -1 : System::pwrite(fd, buffer, std::min<size_t>(bytes, 3), offset);
    }
    int fallocate(int fd, off_t bytes) override { return interrupt() ? -1 : System::fallocate(fd, bytes); }

   private:
    bool interrupt() {
      errno = EINTR;
      return ++calls_ % 3 != 0;
    }
    int calls_ = 0;
  };
  const TempDir dir;
  InterruptedSystem interrupted;
  const ScopedSystem scope(interrupted);
  write_positioned(dir.file("positioned"));
  CHECK(get(dir.file("positioned")) == "A123456789");
  write_appended(dir.file("appended"));
  CHECK(get(dir.file("appended")) == "A123456789");
}

TEST_CASE("a write that takes nothing is an error, not an endless loop", "[base][output][fault]") {
  class StuckSystem : public System {
   public:
    ssize_t write(int /*fd*/, const void* /*buffer*/, size_t /*bytes*/) override { return 0; }
    ssize_t pwrite(int /*fd*/, const void* /*buffer*/, size_t /*bytes*/, off_t /*offset*/) override {
      return 0;
    }
  };
  const TempDir dir;
  StuckSystem stuck;
  const ScopedSystem scope(stuck);
  CHECK(error_of([&] { publish(dir.file("out"), "x"); }) ==
        cat(dir.file("out"), ": cannot write: write() accepted no bytes"));
  CHECK(names_in(dir.path()).empty());
}

TEST_CASE("a stream that cannot be closed is an error", "[base][output][fault]") {
  class NoCloseSystem : public System {
   public:
    int close(int fd) override {
      System::close(fd);
      errno = EIO;
      return -1;
    }
  };
  NoCloseSystem no_close;
  const ScopedSystem scope(no_close);
  CHECK(error_of([] { publish("/dev/null", "x"); }) == "/dev/null: cannot write: Input/output error");
  CHECK(error_of([] { print(""); }) == "standard output: cannot write: Input/output error");
}

// ---------------------------------------------------------------------------------------------------------
// Signals.

namespace {

struct Ended {
  bool by_signal;
  int number;  // of the signal, or the exit status
};

// Runs `body` in a child, which gets a way to say that it is ready, to be called by the thread that the
// signal interrupts; then `signal_number` is sent to it.
Ended run_and_signal(int signal_number, const std::function<void(const std::function<void()>&)>& body) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // The signal handling of the test program is not what is tested.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
    body([&] {
      // The thread sanitizer of clang 14 loses a signal that arrives while a thread enters its first blocking
      // call: this is that call.
      ::poll(nullptr, 0, 0);
      (void)!::write(pipe[1], "r", 1);
    });
    ::_exit(0);
  }
  ::close(pipe[1]);
  char ready = 0;
  REQUIRE(::read(pipe[0], &ready, 1) == 1);
  ::close(pipe[0]);
  ::kill(child, signal_number);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? Ended{true, WTERMSIG(status)} : Ended{false, WEXITSTATUS(status)};
}

}  // namespace

TEST_CASE("a signal removes every file that is being written, whichever thread it interrupts",
          "[base][output][signal]") {
  const TempDir dir;
  put(dir.file("out"), "before");
  NamedOnlySystem named_only;
  const Ended ended = run_and_signal(SIGINT, [&](const std::function<void()>& ready) {
    const ScopedSystem scope(named_only);
    std::vector<OutputFile> files;
    for (int i = 0; i < 20; ++i) files.push_back(OutputFile::create(dir.file(cat("out", i))));
    // Some go, from the middle of them, before the signal comes.
    while (files.size() > 15) files.pop_back();
    for (int i = 0; i < 5; ++i) files[static_cast<std::size_t>(i) * 3].commit();
    if (names_in(dir.path()).size() != 16) ::_exit(3);
    // The thread that writes them is not the one that may be interrupted: it blocks all signals before the
    // other one, which lets them through, says that it is ready.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::thread other([&] {
      pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
      ready();
      for (;;) ::pause();
    });
    for (;;) ::pause();
  });
  CHECK(ended.by_signal);
  CHECK(names_in(dir.path()) == std::set<std::string>{"out", "out0", "out12", "out3", "out6", "out9"});
}

TEST_CASE("an input that shrinks ends the process, and removes what it writes", "[base][output][signal]") {
  const TempDir dir;
  const TempDir other;
  const std::string message = other.file("message");
  put(dir.file("in"), std::string(10'000, 'x'));
  NamedOnlySystem named_only;
  const Ended ended = run_and_signal(0, [&](const std::function<void()>& ready) {
    const ScopedSystem scope(named_only);
    const InputFile input = InputFile::open(dir.file("in"));
    const OutputFile output = OutputFile::create(dir.file("out"));
    const OutputFolder folder(dir.file("folder"));
    put(folder.path_of("inner"), "1");
    Mapping::report_to(::open(message.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (names_in(dir.path()).size() != 3 || ::truncate(dir.file("in").c_str(), 0) != 0) ::_exit(3);
    ready();
    const auto read = [&] {
      volatile std::byte last = input.mapping()->bytes().back();
      ::_exit(std::to_integer<int>(last));
    };
    std::vector<std::jthread> others;
    for (int i = 0; i < 10; ++i) others.emplace_back(read);
    read();
  });
  // Said once, however many threads meet the end of the file.
  CHECK(get(message) == cat("tensorop: ", dir.file("in"), ": became shorter while it was read\n"));
  CHECK_FALSE(ended.by_signal);
  CHECK(ended.number == 2);
  CHECK(names_in(dir.path()) == std::set<std::string>{"in"});
}

TEST_CASE("a signal that is ignored stays ignored while writing", "[base][output][signal]") {
  const TempDir dir;
  NamedOnlySystem named_only;
  const Ended ended = run_and_signal(SIGHUP, [&](const std::function<void()>& ready) {
    ::signal(SIGHUP, SIG_IGN);
    const ScopedSystem scope(named_only);
    OutputFile file = OutputFile::create(dir.file("out"));
    file.append(bytes_of("whole"));
    ::raise(SIGHUP);
    file.commit();
    ready();
  });
  CHECK_FALSE(ended.by_signal);
  CHECK(ended.number == 0);
  CHECK(get(dir.file("out")) == "whole");
}

TEST_CASE("a signal in the middle of publishing waits until it is done or undone", "[base][output][signal]") {
  class InterruptedSystem : public NamedOnlySystem {
   public:
    InterruptedSystem(bool named, bool fails) : NamedOnlySystem(named), fails_(fails) {}
    int rename(const char* from, const char* to) override {
      ::raise(SIGTERM);
      if (!fails_) return System::rename(from, to);
      errno = EIO;
      return -1;
    }

   private:
    bool fails_;
  };
  for (const bool named : {true, false}) {
    for (const bool fails : {false, true}) {
      CAPTURE(named, fails);
      const TempDir dir;
      put(dir.file("out"), "before");
      InterruptedSystem system(named, fails);
      const Ended ended = run_and_signal(0, [&](const std::function<void()>& ready) {
        ready();
        const ScopedSystem scope(system);
        (void)error_of([&] { publish(dir.file("out"), "after"); });
        for (;;) ::pause();
      });
      CHECK(ended.by_signal);
      CHECK(ended.number == SIGTERM);
      CHECK(names_in(dir.path()) == std::set<std::string>{"out"});
      CHECK(get(dir.file("out")) == (fails ? "before" : "after"));
    }
  }
}

TEST_CASE("a name that lives for a moment takes no thread, one that is written under does",
          "[base][output][signal]") {
  class CountingSystem : public NamedOnlySystem {
   public:
    using NamedOnlySystem::NamedOnlySystem;
    int rename(const char* from, const char* to) override {
      threads = names_in("/proc/self/task").size();
      return System::rename(from, to);
    }
    std::size_t threads = 0;
  };
  for (const bool named : {true, false}) {
    CAPTURE(named);
    const TempDir dir;
    put(dir.file("out"), "before");
    CountingSystem system(named);
    const Ended ended = run_and_signal(0, [&](const std::function<void()>& ready) {
      __libc_single_threaded = 1;  // not so if a test before had threads
      const ScopedSystem scope(system);
      publish(dir.file("out"), "after");
      ready();
      ::_exit(static_cast<int>(system.threads));
    });
    CHECK_FALSE(ended.by_signal);
    CHECK(ended.number == (named ? 2 : 1));
  }
}

}  // namespace tensorop::base_output_file_test
