// Temporary files: what is written is read back. tests/faults shows that nothing is left, whatever fails or
// ends the process.
#include "base/files/scratch_file.hpp"

#include <cerrno>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/faulty_system.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_scratch_file_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string read(ScratchFile& file, std::size_t offset, std::size_t bytes) {
  return text_of(file.map().subspan(offset, bytes));
}

// All that can be done with such a file; what it holds in the end.
std::string use(const std::string& folder) {
  ScratchFile file(folder, 100'000);
  file.write_at(0, bytes_of("front"));
  file.write_at(99'996, bytes_of("back"));
  file.write_at(5, bytes_of(" and the "));
  return cat(read(file, 0, 14), read(file, 99'996, 4));
}

}  // namespace

TEST_CASE("a temporary file holds what was written at its offset and has no name", "[base][scratch]") {
  for (const bool named_only : {false, true}) {
    CAPTURE(named_only);
    NamedOnlySystem system(named_only);
    const ScopedSystem scope(system);
    const TempDir dir;
    ScratchFile first(dir.path().string(), 1'000'000);
    CHECK(first.bytes() == 1'000'000);
    first.write_at(999'995, bytes_of("67890"));
    ScratchFile file = std::move(first);
    file.write_at(0, bytes_of("12345"));
    CHECK(read(file, 1, 3) == "234");
    CHECK(read(file, 999'990, 10) == cat(std::string(5, '\0'), "67890"));
    const auto mapping = file.map();
    CHECK(mapping.size() == 1'000'000);
    CHECK(text_of(mapping.first(6)) == std::string("12345\0", 6));
    CHECK(text_of(mapping.last(5)) == "67890");
    file.write_at(0, bytes_of("later"));
    CHECK(text_of(mapping.first(5)) == "later");
    CHECK(file.map().data() == mapping.data());
    ScratchFile moved = std::move(file);
    CHECK(text_of(moved.map().first(5)) == "later");
    CHECK(names_in(dir.path()).empty());
    CHECK(ScratchFile(dir.path().string(), 0).map().empty());
  }
}

TEST_CASE("threads write to a temporary file at once", "[base][scratch]") {
  const TempDir dir;
  ScratchFile file(dir.path().string(), 4 * 1000);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&file, thread] {
      for (int i = 0; i < 1000; ++i) {
        const char letter = static_cast<char>('a' + thread);
        file.write_at(i * 4 + thread, bytes_of({&letter, 1}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += "abcd";
  CHECK(text_of(file.map()) == expected);
}

TEST_CASE("temporary space that is not there is refused with both numbers", "[base][scratch]") {
  const TempDir dir;
  const std::string line =
      error_of([&] { (void)ScratchFile(dir.path().string(), std::numeric_limits<std::int64_t>::max()); });
  const std::string front =
      cat(dir.path().string(), ": 9223372036854775807 bytes of temporary space are needed, ");
  CHECK(line.starts_with(front));
  CHECK(line.find_first_not_of("0123456789", front.size()) == line.find(" are free on that file system"));
  CHECK(error_of([&] { (void)ScratchFile(dir.file("none"), 1); }) ==
        cat(dir.file("none"), ": cannot create a temporary file: No such file or directory"));
}

TEST_CASE("a file system that claims no space, or tells of none, still holds a temporary file",
          "[base][scratch]") {
  class SparseSystem : public System {
   public:
    int fallocate(int /*fd*/, off_t /*bytes*/) override {
      errno = EOPNOTSUPP;
      return -1;
    }
    int fstatvfs(int /*fd*/, struct statvfs* /*out*/) override {
      errno = ENOSYS;
      return -1;
    }
  };
  SparseSystem system;
  const ScopedSystem scope(system);
  const TempDir dir;
  CHECK(use(dir.path().string()) == "front and the back");
}

TEST_CASE("what is not all written is an error", "[base][scratch]") {
  class DrySystem : public System {
   public:
    ssize_t pwrite(int /*fd*/, const void* /*buffer*/, size_t /*bytes*/, off_t /*offset*/) override {
      return 0;
    }
  };
  DrySystem system;
  const ScopedSystem scope(system);
  const TempDir dir;
  const ScratchFile file(dir.path().string(), 10);
  CHECK(error_of([&] { file.write_at(0, bytes_of("x")); }) ==
        cat(dir.path().string(), ": cannot write a temporary file: Input/output error"));
}

}  // namespace tensorop::base_scratch_file_test
