// Free memory is what this process can get without harm to another one: unused memory, caches, and swap.
#include "base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/memory_cgroup.hpp"
#include "base/proc_file.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kSmallestChecked = 16 << 20;

// Of the machine, the swap space counted or not.
std::optional<std::int64_t> of_machine(bool with_swap) {
  constexpr std::int64_t kUnit = 1024;
  const std::string text = read_proc_file("/proc/meminfo");
  const auto available = number_after(text, "MemAvailable:");
  if (!available) return std::nullopt;
  return (*available + (with_swap ? number_after(text, "SwapFree:").value_or(0) : 0)) * kUnit;
}

// Fields of /proc/self/statm, proc_pid_statm(5).
constexpr int kSizePages = 0;
constexpr int kDataPages = 5;  // with the stack, which RLIMIT_DATA does not count

// What a limit of this process leaves of what that field counts.
std::optional<std::int64_t> of_limit(decltype(RLIMIT_AS) resource, int field) {
  rlimit most{};
  if (::getrlimit(resource, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::string statm = read_proc_file("/proc/self/statm");
  std::string_view rest = statm;
  for (int i = 0; i < field; ++i) rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
  const std::int64_t used = number_after(rest, "").value_or(0) * ::sysconf(_SC_PAGESIZE);
  const auto bytes =
      static_cast<std::int64_t>(std::min<rlim_t>(most.rlim_cur, std::numeric_limits<std::int64_t>::max()));
  return std::max<std::int64_t>(0, bytes - used);
}

}  // namespace

std::optional<std::int64_t> System::free_memory() {
  auto least = of_machine(true);
  take_least(least, of_limit(RLIMIT_AS, kSizePages));
  take_least(least, of_limit(RLIMIT_DATA, kDataPages));
  take_least(least, cgroup_memory(""));
  return least;
}

std::int64_t default_memory() {
  constexpr std::int64_t kUnknown = 256 << 20;
  auto free = os().free_memory();
  take_least(free, of_machine(false));
  return free ? std::max<std::int64_t>(1, *free / 2) : kUnknown;
}

std::int64_t memory_part(std::int64_t memory, int sharers) {
  return std::max<std::int64_t>(1, (memory != 0 ? memory : default_memory()) / sharers);
}

void require_memory(std::int64_t bytes, std::string_view what) {
  if (bytes < kSmallestChecked) return;
  const auto free = os().free_memory();
  if (!free || bytes <= *free) return;
  throw MemoryError(cat(what, " needs ", bytes, " bytes of memory, ", *free, " are free"));
}

void throw_out_of_memory(std::string_view context) {
  const auto free = os().free_memory();
  throw MemoryError(cat(context, ": out of memory", free ? cat(": ", *free, " bytes are free") : ""));
}

void throw_no_memory(std::int64_t bytes, std::string_view what) {
  const auto free = os().free_memory();
  throw MemoryError(
      cat("out of memory: ", what, " needs ", bytes, " bytes", free ? cat(", ", *free, " are free") : ""));
}

}  // namespace tensorop
