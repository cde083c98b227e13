// Advice about mapped memory: which pages it is about, that it changes nothing, and that it may fail.
#include "base/files/advice.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/system/system.hpp"
#include "support/catch.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_advice_test {
namespace {

// The ranges that madvise gets, as bytes from `base` on.
class ListeningSystem : public System {
 public:
  explicit ListeningSystem(const std::byte* base) : base_(base) {}
  int madvise(void* address, size_t bytes, int advice) override {
    calls.emplace_back(static_cast<std::byte*>(address) - base_, bytes);
    advices.push_back(advice);
    return System::madvise(address, bytes, advice);
  }
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> calls;
  std::vector<int> advices;

 private:
  const std::byte* base_;
};

class DeafSystem : public System {
 public:
  int madvise(void* /*address*/, size_t /*bytes*/, int /*advice*/) override {
    errno = EINVAL;
    return -1;
  }
};

constexpr std::int64_t kFileBytes = 1'000'000;

std::string content() {
  std::string text(static_cast<std::size_t>(kFileBytes), '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 + i / 4096);
  return text;
}

using Advice = void (*)(const std::byte*, std::int64_t);

}  // namespace

TEST_CASE("advice is about whole pages: pages with one of the bytes, or pages with no other",
          "[base][advice]") {
  const TempDir dir;
  write_file(dir.file("file"), content());
  const auto mapping = InputFile::open(dir.file("file")).mapping();
  const std::byte* const base = mapping->bytes().data();
  const std::ptrdiff_t page = ::sysconf(_SC_PAGESIZE);
  struct Row {
    Advice advice;
    std::int64_t first;
    std::int64_t bytes;
    std::vector<std::pair<std::ptrdiff_t, std::size_t>> calls;  // begin, bytes
  };
  const auto size = [](std::ptrdiff_t bytes) { return static_cast<std::size_t>(bytes); };
  const std::vector<Row> rows = {
      {expect_random, 0, 1, {{0, 1}}},
      {expect_random, page - 1, 2, {{0, size(page + 1)}}},
      {expect_random, page, 0, {}},
      {expect_random, page + 1, 0, {}},
      {expect_random, page + 1, kFileBytes - page - 1, {{page, size(kFileBytes - page)}}},
      {will_need, page + 7, 1, {{page, 8}}},
      {will_need, 5, 0, {}},
      {will_need, 3, 300'000, {{0, 131075}, {131072, 131075}, {262144, 300'003 - 262144}}},
      {done_with, 0, 2 * page, {{0, size(2 * page)}}},
      {done_with, 1, 2 * page, {{page, size(page)}}},
      {done_with, 1, 2 * page - 2, {}},
      {done_with, 1, page - 1, {}},
      {done_with, page, page - 1, {}},
      {done_with, 3, 0, {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.first, row.bytes);
    ListeningSystem system(base);
    const ScopedSystem scope(system);
    row.advice(base + row.first, row.bytes);
    CHECK(system.calls == row.calls);
  }
}

TEST_CASE("advice changes no byte of a file, whether it is taken or not", "[base][advice]") {
  const TempDir dir;
  const std::string expected = content();
  write_file(dir.file("file"), expected);
  const auto mapping = InputFile::open(dir.file("file")).mapping();
  const auto text = [&] {
    return std::string(reinterpret_cast<const char*>(mapping->bytes().data()), mapping->bytes().size());
  };
  const Advice advices[] = {will_need, expect_random, done_with};
  const auto follow = [&](System& system) {
    const ScopedSystem scope(system);
    for (const Advice advice : advices) {
      advice(mapping->bytes().data(), kFileBytes);
      advice(mapping->bytes().data() + 12345, 123456);
      CHECK(text() == expected);
    }
  };
  ListeningSystem hears(mapping->bytes().data());
  follow(hears);
  for (const int advice : {MADV_WILLNEED, MADV_RANDOM, MADV_DONTNEED}) {
    CHECK(std::ranges::count(hears.advices, advice) > 0);
  }
  DeafSystem deaf;
  follow(deaf);
}

TEST_CASE("what is done with leaves the memory of the process", "[base][advice]") {
  const TempDir dir;
  write_file(dir.file("file"), content());
  const auto mapping = InputFile::open(dir.file("file")).mapping();
  const auto mapped_kib = [&] {
    std::ifstream maps("/proc/self/smaps");
    bool is_it = false;
    for (std::string line; std::getline(maps, line);) {
      is_it = is_it || line.find(dir.file("file")) != std::string::npos;
      if (is_it && line.starts_with("Rss:")) return std::stoll(line.substr(4));
    }
    return -1LL;
  };
  std::int64_t sum = 0;
  for (const std::byte byte : mapping->bytes()) sum += std::to_integer<int>(byte);
  CHECK(sum > 0);
  CHECK(mapped_kib() > 900);
  done_with(mapping->bytes().data(), kFileBytes);
  // The last page has no whole page of the file.
  CHECK(mapped_kib() <= ::sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace tensorop::base_advice_test
