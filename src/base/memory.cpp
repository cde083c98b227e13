// Free memory is what this process can get without harm to another one: unused memory, caches, and swap.
#include "base/memory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kSmallestChecked = 16 << 20;

// The beginning of a file of the system; empty when there is none.
std::string read_front(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text(4096, '\0');
  const ssize_t got = ::read(fd, text.data(), text.size());
  ::close(fd);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

// The number that follows `key` in `text`.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return parse_int64(text.substr(0, text.find_first_not_of("0123456789")));
}

std::optional<std::int64_t> of_machine() {
  constexpr std::int64_t kUnit = 1024;
  const std::string text = read_front("/proc/meminfo");
  const auto available = number_after(text, "MemAvailable:");
  if (!available) return std::nullopt;
  return (*available + number_after(text, "SwapFree:").value_or(0)) * kUnit;
}

// The rest of the address space that this process may use.
std::optional<std::int64_t> of_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto pages = number_after(read_front("/proc/self/statm"), "");
  const auto most =
      static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<std::int64_t>::max()));
  return std::max<std::int64_t>(0, most - pages.value_or(0) * ::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::optional<std::int64_t> System::free_memory() {
  auto least = of_machine();
  const auto limit = [&](const std::optional<std::int64_t>& other) {
    if (other && (!least || *other < *least)) least = other;
  };
  limit(of_address_space());
  // The limit of a container; outside of one there is no such file, or no number in it.
  limit(number_after(read_front("/sys/fs/cgroup/memory.max"), ""));
  limit(number_after(read_front("/sys/fs/cgroup/memory/memory.limit_in_bytes"), ""));
  return least;
}

void require_memory(std::int64_t bytes, std::string_view what) {
  if (bytes < kSmallestChecked) return;
  const auto free = os().free_memory();
  if (!free || bytes <= *free) return;
  throw MemoryError(cat(what, " needs ", bytes, " bytes of memory, ", *free, " are free"));
}

}  // namespace tensorop
