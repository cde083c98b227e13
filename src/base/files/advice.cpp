#include "base/files/advice.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/system/system.hpp"

namespace tensorop {
namespace {

// The beginning of the page that contains `byte`.
const std::byte* page_of(const std::byte* byte) {
  return byte - reinterpret_cast<std::uintptr_t>(byte) % static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
}

void advise(const std::byte* begin, const std::byte* end, int advice) {
  if (begin < end)
    (void)os().madvise(const_cast<std::byte*>(begin), static_cast<std::size_t>(end - begin), advice);
}

// Advises all pages that contain one of these bytes.
void advise_pages(const std::byte* begin, std::int64_t bytes, int advice) {
  if (bytes > 0) advise(page_of(begin), begin + bytes, advice);
}

}  // namespace

void will_need(const std::byte* begin, std::int64_t bytes) {
  // One call reads at most the read-ahead size of the device: usually 128 KiB.
  constexpr std::int64_t kMost = 128 << 10;
  for (std::int64_t done = 0; done < bytes; done += kMost) {
    advise_pages(begin + done, std::min(kMost, bytes - done), MADV_WILLNEED);
  }
}

void expect_random(const std::byte* begin, std::int64_t bytes) {
  advise_pages(begin, bytes, MADV_RANDOM);
}

void done_with(const std::byte* begin, std::int64_t bytes) {
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  if (bytes >= page) advise(page_of(begin + (page - 1)), page_of(begin + bytes), MADV_DONTNEED);
}

void prefer_large_pages(const std::byte* begin, std::int64_t bytes) {
  advise_pages(begin, bytes, MADV_HUGEPAGE);
}

}  // namespace tensorop
