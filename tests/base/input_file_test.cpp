// Files to read: what is mapped, what is a stream, and what is refused.
#include "base/files/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files/scratch_file.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/faulty_system.hpp"
#include "support/sanitizers.hpp"
#include "support/skip.hpp"
#include "support/standard_input.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_input_file_test {
namespace {

namespace fs = std::filesystem;

void put(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("a mapping outlives the file's name and the object that opened it", "[base][input]") {
  const TempDir dir;
  put(dir.file("file"), "still here");
  const auto mapping = InputFile::open(dir.file("file")).mapping();
  fs::remove(dir.file("file"));
  CHECK(text_of(mapping->bytes()) == "still here");
}

TEST_CASE("a sparse file of a tebibyte is opened without reading it", "[base][input]") {
  const TempDir dir;
  put(dir.file("huge"), "front");
  // The thread sanitizer has no room for so large a mapping.
  constexpr off_t kBytes = off_t{1} << (kThreadSanitizer ? 36 : 40);
  REQUIRE(::truncate(dir.file("huge").c_str(), kBytes) == 0);
  const InputFile file = InputFile::open(dir.file("huge"));
  CHECK(file.mapping()->bytes().size() == static_cast<std::size_t>(kBytes));
  CHECK(text_of(file.mapping()->bytes().first(6)) == std::string_view("front\0", 6));
}

TEST_CASE("an empty file has no bytes", "[base][input]") {
  const TempDir dir;
  put(dir.file("empty"), "");
  CHECK(InputFile::open(dir.file("empty")).bytes().empty());
}

TEST_CASE("a file of /proc, which claims to be empty, is read as a stream", "[base][input]") {
  const InputFile file = InputFile::open("/proc/self/stat");
  CHECK(file.is_stream());
  CHECK(text_of(file.bytes()).starts_with(cat(::getpid(), " (")));
}

TEST_CASE("a stream is read to its end whatever pieces it comes in", "[base][input]") {
  const TempDir dir;
  const std::string path = dir.file("fifo");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string sent;
  for (int i = 0; i < 20000; ++i) sent += static_cast<char>('a' + i % 26);
  std::thread writer([&] {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    for (std::size_t i = 0; i < sent.size(); i += 777) {
      const auto piece = std::string_view(sent).substr(i, 777);
      (void)!::write(fd, piece.data(), piece.size());
    }
    ::close(fd);
  });
  const InputFile file = InputFile::open(path);
  writer.join();
  CHECK(file.is_stream());
  CHECK(text_of(file.bytes()) == sent);
  // Nothing of it can change, nor is it the file of that name.
  file.mapping()->require_unchanged();
  CHECK_FALSE(file.mapping()->is_current());
  CHECK_FALSE(file.mapping()->reopen().is_open());
  CHECK(file.mapping()->resident_share(file.bytes().data(), 1) == 1.0);
}

TEST_CASE("a long stream is read as far as is enough, in memory or in a temporary file", "[base][input]") {
  constexpr std::int64_t kHead = StreamReading::kHeadBytes;
  constexpr std::int64_t kBytes = 5 << 20;
  const TempDir dir;
  std::string sent(kBytes, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7 + i / 251);
  put(dir.file("file"), "x" + sent);
  struct Row {
    std::int64_t enough;
    std::int64_t memory;
    std::int64_t read;
  };
  constexpr std::int64_t kAll = StreamReading::kUnknown;
  for (const auto& [enough, memory, read] :
       {Row{kAll, kAll, kBytes}, Row{kAll, 1, kBytes}, Row{kAll, 1 << 20, kBytes}, Row{0, kAll, kHead},
        Row{0, 1, kHead}, Row{2 << 20, kAll, 2 << 20}, Row{2 << 20, 1 << 18, 2 << 20},
        Row{6 << 20, kAll, kBytes}, Row{6 << 20, 1 << 18, kBytes}}) {
    CAPTURE(enough, memory);
    int files = 0;
    std::int64_t examined = 0;
    const StreamReading reading{
        .enough =
            [&, &enough = enough](std::string_view head) {
              CHECK(std::string_view(sent).starts_with(head));
              CHECK(static_cast<std::int64_t>(head.size()) > examined);
              if (examined == 0) CHECK(head.size() == kHead);
              examined = static_cast<std::int64_t>(head.size());
              return enough;
            },
        .spill = [&, &memory = memory](std::int64_t bytes) -> std::optional<ScratchFile> {
          if (bytes <= memory) return std::nullopt;
          ++files;
          return ScratchFile(dir.path().string(), bytes);
        }};
    const StandardInputScope scope(dir.file("file"), 1);
    const InputFile file = InputFile::standard_input(reading);
    CHECK(file.is_stream());
    CHECK(text_of(file.bytes()) == std::string_view(sent).substr(0, static_cast<std::size_t>(read)));
    CHECK(files == (memory < read && read > kHead ? 1 : 0));
  }
  // A refusal of the beginning comes before anything else is read; a short stream has no beginning.
  const StreamReading refusing{.enough = [](std::string_view) -> std::int64_t { throw Error("refused"); }};
  {
    const StandardInputScope scope(dir.file("file"), 1);
    CHECK(error_of([&] { (void)InputFile::standard_input(refusing); }) == "refused");
    CHECK(::lseek(STDIN_FILENO, 0, SEEK_CUR) == kHead + 1);
  }
  const StandardInputScope scope(dir.file("file"), kBytes - 10);
  CHECK(text_of(InputFile::standard_input(refusing).bytes()) == std::string_view(sent).substr(kBytes - 11));
}

TEST_CASE("standard input that is a file is mapped, unless something was read from it", "[base][input]") {
  const TempDir dir;
  put(dir.file("file"), "0123456789");
  {
    const StandardInputScope scope(dir.file("file"), 0);
    const InputFile file = InputFile::standard_input();
    CHECK(file.name() == "standard input");
    CHECK_FALSE(file.is_stream());
    CHECK(text_of(file.bytes()) == "0123456789");
  }
  {
    const StandardInputScope scope(dir.file("file"), 4);
    const InputFile file = InputFile::standard_input();
    CHECK(file.is_stream());
    CHECK(text_of(file.bytes()) == "456789");
  }
  {
    const StandardInputScope scope(dir.path().string(), 0);
    CHECK(error_of([] { (void)InputFile::standard_input(); }) == "standard input: is a directory");
  }
}

TEST_CASE("what cannot be opened is refused with its path and the reason", "[base][input]") {
  const TempDir dir;
  put(dir.file("file"), "x");
  fs::create_directory(dir.path() / "folder");
  fs::create_symlink("loop", dir.path() / "loop");
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"folder", "is a directory"},
      {"missing", "cannot open: No such file or directory"},
      {"file/below", "cannot open: Not a directory"},
      {"loop", "cannot open: Too many levels of symbolic links"},
      {std::string(300, 'n'), "cannot open: File name too long"},
      {"mis\nsing\x1b", "cannot open: No such file or directory"},
  };
  for (const auto& [name, reason] : rows) {
    const std::string path = dir.file(name);
    CHECK(error_of([&] { (void)InputFile::open(path); }) == cat(printable(path), ": ", reason));
  }
}

TEST_CASE("each call of reading that fails is an error with the path and the reason", "[base][input]") {
  const TempDir dir;
  put(dir.file("file"), "x");
  const std::string stream = "/proc/self/stat";
  for (const auto& [path, number, what] : std::vector<std::tuple<std::string, int, std::string>>{
           {dir.file("file"), 1, "open: cannot open"},
           {dir.file("file"), 2, "fstat: cannot read"},
           {dir.file("file"), 3, "mmap: cannot map"},
           {stream, 3, "read: cannot read"},
       }) {
    FaultySystem faulty(false, number, SystemFault::error, EIO);
    const ScopedSystem scope(faulty);
    const std::string line = error_of([&, &name = path] { (void)InputFile::open(name); });
    const std::size_t colon = what.find(": ");
    CHECK(faulty.failed_call() == what.substr(0, colon));
    CHECK(line == cat(path, what.substr(colon), ": Input/output error"));
    CHECK(faulty.closes() == (number == 1 ? 0 : 1));
  }
}

TEST_CASE("a read that is interrupted is made again", "[base][input]") {
  class InterruptedSystem : public System {
   public:
    ssize_t read(int fd, void* buffer, size_t bytes) override {
      errno = EINTR;
      return ++calls_ % 3 != 0 ? -1 : System::read(fd, buffer, std::min<size_t>(bytes, 2));
    }

   private:
    int calls_ = 0;
  };
  InterruptedSystem interrupted;
  const ScopedSystem scope(interrupted);
  CHECK(text_of(InputFile::open("/proc/sys/kernel/ostype").bytes()) == "Linux\n");
}

TEST_CASE("a descriptor is closed once, and standard streams never", "[base][input]") {
  class CountingSystem : public System {
   public:
    int close(int /*fd*/) override { return ++closed, 0; }
    int closed = 0;
  };
  CountingSystem counting;
  const ScopedSystem scope(counting);
  {
    FileDescriptor first(100);
    FileDescriptor second(std::move(first));
    // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): what is left is what is tested
    CHECK_FALSE(first.is_open());
    CHECK(second.get() == 100);
    FileDescriptor third(101);
    third = std::move(second);
    CHECK(counting.closed == 1);
    CHECK(third.get() == 100);
    CHECK(third.close());
    CHECK(counting.closed == 2);
  }
  CHECK(counting.closed == 2);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    FileDescriptor standard(fd);
    CHECK(standard.close());
  }
  CHECK(counting.closed == 2);
}

namespace {

constexpr std::int64_t kLargeBytes = std::int64_t{8} << 20;

// The answer to each system call: nothing for the system's own answer, a number for that errno.
class ResidencySystem : public System {
 public:
  std::optional<int> open_again;
  std::optional<int> pread_errno;
  std::optional<int> mincore_errno;
  bool may_write = true;
  int interruptions = 0;
  std::vector<off_t> asked;
  int found = 0;   // places that were in memory
  int missed = 0;  // and that were not
  int open_now = 0;

  int open(const char* path, int flags, mode_t mode) override {
    if (open_again) return failure(*open_again);
    ++open_now;
    return System::open(path, flags, mode);
  }
  int close(int fd) override {
    --open_now;
    return System::close(fd);
  }
  int access(const char* path, int mode) override {
    return may_write ? System::access(path, mode) : failure(EACCES);
  }
  ssize_t pread_resident(int fd, off_t offset) override {
    asked.push_back(offset);
    if (interruptions-- > 0) return failure(EINTR);
    const ssize_t done = pread_errno ? failure(*pread_errno) : System::pread_resident(fd, offset);
    (done < 0 ? missed : found) += 1;
    return done;
  }
  int mincore(void* address, size_t bytes, unsigned char* out) override {
    return mincore_errno ? failure(*mincore_errno) : System::mincore(address, bytes, out);
  }

 private:
  static int failure(int code) {
    errno = code;
    return -1;
  }
};

// A file whose second half is not in memory; false where the file system keeps everything there.
bool write_half_resident(const std::string& path) {
  put(path, std::string(kLargeBytes, 'x'));
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(fd >= 0);
  struct statfs info {};
  REQUIRE(::fstatfs(fd, &info) == 0);
  REQUIRE(::fsync(fd) == 0);
  constexpr auto kTmpfs = 0x01021994;
  if (info.f_type == kTmpfs) {
    ::close(fd);
    return false;
  }
  // Beside other processes the system may keep some pages at first.
  void* const half = ::mmap(nullptr, kLargeBytes / 2, PROT_READ, MAP_SHARED, fd, kLargeBytes / 2);
  REQUIRE(half != MAP_FAILED);
  std::vector<unsigned char> pages(kLargeBytes / 2 / 4096);
  do {
    REQUIRE(::posix_fadvise(fd, kLargeBytes / 2, 0, POSIX_FADV_DONTNEED) == 0);
    REQUIRE(::mincore(half, kLargeBytes / 2, pages.data()) == 0);
  } while (std::ranges::any_of(pages, [](unsigned char page) { return (page & 1U) != 0; }));
  ::munmap(half, kLargeBytes / 2);
  ::close(fd);
  return true;
}

}  // namespace

TEST_CASE("the resident share of a file is the share of evenly spread places", "[base][input][resident]") {
  const TempDir dir("/var/tmp");  // where files are not in memory
  const std::string path = dir.file("file");
  if (!write_half_resident(path)) return skip("/var/tmp is in memory");
  const auto mapping = InputFile::open(path).mapping();
  const std::byte* const begin = mapping->bytes().data();
  ResidencySystem system;
  const ScopedSystem scope(system);
  CHECK(mapping->resident_share(begin, kLargeBytes) == 0.5);
  CHECK(mapping->resident_share(begin + kLargeBytes / 2, kLargeBytes / 2) == 0.0);
  CHECK(mapping->resident_share(begin + 12345, 100) == 1.0);
  // A place that preadv2() misses begins to be read, with what follows it, and may be in memory before it
  // answers: it is the second way, and last here.
  CHECK(system.asked.empty());
  system.mincore_errno = ENOSYS;
  system.interruptions = 3;
  const auto share = mapping->resident_share(begin, kLargeBytes);
  REQUIRE(share);
  CHECK(*share >= 0.5);
  CHECK(std::lround(*share * (system.found + system.missed)) == system.found);
  CHECK(system.asked.size() > 64);
  CHECK(mapping->resident_share(begin, kLargeBytes / 2) == 1.0);
  CHECK(mapping->resident_share(begin + 1, 1) == 1.0);
  CHECK(mapping->resident_share(begin, 0) == std::nullopt);
  // Two that ask do not ask of the same places.
  std::vector<off_t> first;
  first.swap(system.asked);
  CHECK(mapping->resident_share(begin, kLargeBytes) >= 0.5);
  CHECK(std::ranges::count(first, system.asked.front()) == 0);
  CHECK(system.open_now == 0);
}

TEST_CASE("the resident share of a file is unknown where nothing true can be known",
          "[base][input][resident]") {
  const TempDir dir("/var/tmp");  // where files are not in memory
  const std::string path = dir.file("file");
  put(path, std::string(kLargeBytes, 'x'));
  const auto mapping = InputFile::open(path).mapping();
  const auto share = [&] { return mapping->resident_share(mapping->bytes().data(), kLargeBytes); };
  ResidencySystem system;
  const ScopedSystem scope(system);
  // The file cannot be opened again: mincore() is asked.
  system.open_again = EMFILE;
  CHECK(share() == 1.0);
  system.mincore_errno = ENOSYS;
  CHECK(share() == std::nullopt);
  system.open_again.reset();
  CHECK(share() == 1.0);
  system.pread_errno = EAGAIN;
  CHECK(share() == 0.0);
  system.pread_errno = EIO;
  CHECK(share() == std::nullopt);
  // mincore() lies to those who may not write the file; its owner may ask.
  system.mincore_errno.reset();
  system.may_write = false;
  CHECK(share() == 1.0);
  // Another file of that name is not asked.
  fs::remove(path);
  put(path, "another");
  system.mincore_errno = ENOSYS;
  system.pread_errno = EAGAIN;
  CHECK(share() == std::nullopt);
  CHECK(system.open_now == 0);
}

TEST_CASE("the file of an address is found among the inputs", "[base][input]") {
  const TempDir dir;
  put(dir.file("one"), "12345");
  put(dir.file("two"), "6789");
  const auto one = InputFile::open(dir.file("one")).mapping();
  const auto two = InputFile::open(dir.file("two")).mapping();
  Inputs inputs;
  inputs.add(one);
  inputs.add(nullptr);
  inputs.add(two);
  const std::byte other{};
  CHECK(inputs.find(one->bytes().data()) == one.get());
  CHECK(inputs.find(two->bytes().data() + 3) == two.get());
  CHECK(inputs.find(two->bytes().data() + 4) == nullptr);
  CHECK(inputs.find(&other) == nullptr);
  CHECK(inputs.find(nullptr) == nullptr);
}

}  // namespace tensorop::base_input_file_test
