#include "base/files/advice.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/system.hpp"

namespace tensorop {
namespace {

std::uintptr_t address_of(const std::byte* byte) {
  return reinterpret_cast<std::uintptr_t>(byte);
}

// The address of the page that contains `byte`.
std::uintptr_t page_of(const std::byte* byte) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return address_of(byte) / page * page;
}

void advise(std::uintptr_t begin, std::uintptr_t end, int advice) {
  if (begin < end) (void)os().madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

// Advises all pages that contain one of these bytes.
void advise_pages(const std::byte* begin, std::int64_t bytes, int advice) {
  if (bytes > 0) advise(page_of(begin), address_of(begin + bytes), advice);
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
