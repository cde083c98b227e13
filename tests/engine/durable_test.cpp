// Results that are to survive a power loss: each file is on the disk before any of them gets its name.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <string_view>

#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::engine_durable_test {
namespace {

// Notes what goes to the disk and what gets a name; nothing goes to the disk.
class RecordingSystem : public System {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    if ((flags & O_TMPFILE) == O_TMPFILE) {  // so that a new file is renamed to its name
      errno = EOPNOTSUPP;
      return -1;
    }
    return System::open(path, flags, mode);
  }
  int fsync(int fd) override {
    struct stat info {};
    ::fstat(fd, &info);
    calls += S_ISDIR(info.st_mode) ? "sync-folder " : "sync ";
    return 0;
  }
  int rename(const char* from, const char* to) override {
    const std::string path = to;
    calls += path.substr(path.rfind('/') + 1) + " ";
    return System::rename(from, to);
  }
  int rename_new(const char* from, const char* to) override {
    const std::string path = to;
    calls += path.substr(path.rfind('/') + 1) + " ";
    return System::rename_new(from, to);
  }
  int mkdir(const char* path, mode_t mode) override {
    calls += "mkdir ";
    return System::mkdir(path, mode);
  }
  std::string calls;
};

// A mask that cannot get its name, as a file that something is mounted on.
class BusyMaskSystem : public System {
 public:
  int rename(const char* from, const char* to) override {
    errno = EBUSY;
    return std::string_view(to).ends_with("mask.npy") ? -1 : System::rename(from, to);
  }
};

Request scatter() {
  Request request;
  request.op = require_operator("scatterelements");
  for (const char* operand : {"[1,2]", "[1]", "[8]"}) request.positional.emplace_back(operand);
  request.spec = "onnx-13";
  return request;
}

}  // namespace

TEST_CASE("a result and its mask are both on the disk before one of them gets its name", "[engine]") {
  const TempDir dir;
  const Destination mask{.path = dir.file("mask.npy"), .durable = true};
  RecordingSystem system;
  const ScopedSystem scope(system);
  run_request(scatter(), {.path = dir.file("out.npz"), .durable = true}, {}, mask);
  CHECK(system.calls == "sync sync out.npz sync-folder mask.npy sync-folder ");
}

TEST_CASE("a mask that cannot be published is an error that says where the result is", "[engine]") {
  const TempDir dir;
  const std::string path = dir.file("mask.npy");
  std::ofstream(path) << "old";
  const Destination mask{.path = path};
  const Destination out{.path = dir.file("out.json")};
  BusyMaskSystem system;
  const ScopedSystem scope(system);
  const std::string message =
      cat("scatterelements: ", path, ": cannot replace the file: it is mounted there; ",
          "the result is written to ", out.path);
  CHECK_THROWS_WITH(run_request(scatter(), out, {}, mask), message);
  CHECK_THROWS_WITH(run_request_as_case(scatter(), {dir.file("case"), true}, {}, out, mask), message);
  CHECK(get(path) == "old");
  CHECK(get(out.path) == "{\"dtype\":\"int64\",\"shape\":[2],\"data\":[1,8]}\n");
  CHECK_FALSE(file_exists(dir.file("case")));
}

TEST_CASE("a case is on the disk before it, or a result beside it, gets its name", "[engine]") {
  const TempDir dir;
  const Destination mask{.path = dir.file("mask.npy"), .durable = true};
  const Destination out{.path = dir.file("out.npy"), .durable = true};
  RecordingSystem system;
  const ScopedSystem scope(system);
  (void)run_request_as_case(scatter(), {dir.file("case"), true}, {}, out, mask);
  const std::string published = "out.npy sync-folder mask.npy sync-folder case sync-folder ";
  REQUIRE(system.calls.ends_with(published));
  const std::string before = system.calls.substr(0, system.calls.size() - published.size());
  for (const char* name : {"out.npy", "mask.npy", "case "}) CHECK(before.find(name) == std::string::npos);
  // The result comes last; its own file is synchronized right before.
  CHECK(before.ends_with("output_0.pb sync-folder sync-folder sync "));
}

TEST_CASE("the names of directories that are made are on the disk, each before the next", "[engine]") {
  const TempDir dir;
  RecordingSystem system;
  const ScopedSystem scope(system);
  make_folder(dir.file("a/b"), true);
  CHECK(system.calls == "mkdir sync-folder mkdir sync-folder ");
  make_folder(dir.file("c"));
  make_folder(dir.file("c"), true);
  CHECK(system.calls == "mkdir sync-folder mkdir sync-folder mkdir ");
}

}  // namespace tensorop::engine_durable_test
