// Free memory is what this process can get without harm to others: unused memory, caches, and swap.
#include "base/system/memory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <vector>

#include "base/checked.hpp"
#include "base/files/file_io.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kSmallestChecked = 16 << 20;

// Reads a small file of the system (/proc, /sys); empty if it cannot be read.
std::string read_proc_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return {};
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(file.get(), buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

// The number after the first `key` and blanks in `text`; nothing if the key is missing.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text = after_any(text.substr(at + key.size()), " ");
  return parse_int64(text.substr(0, text.find_first_not_of("0123456789")));
}

// Sets `least` to the smaller of the known values.
void take_least(std::optional<std::int64_t>& least, const std::optional<std::int64_t>& other) {
  if (other && (!least || *other < *least)) least = other;
}

// Free memory of the machine, with or without swap space.
std::optional<std::int64_t> of_machine(bool with_swap) {
  constexpr std::int64_t kUnit = 1024;
  const std::string text = read_proc_file("/proc/meminfo");
  const auto available = number_after(text, "MemAvailable:");
  if (!available) return std::nullopt;
  return (*available + (with_swap ? number_after(text, "SwapFree:").value_or(0) : 0)) * kUnit;
}

// Fields of /proc/self/statm, proc_pid_statm(5).
constexpr int kSizePages = 0;
constexpr int kDataPages = 5;  // includes the stack, which RLIMIT_DATA does not count

// A resource limit of this process.
std::optional<std::int64_t> limit_of(decltype(RLIMIT_AS) resource) {
  rlimit most{};
  if (::getrlimit(resource, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(std::min<rlim_t>(most.rlim_cur, std::numeric_limits<std::int64_t>::max()));
}

// The rest of a resource limit: the limit less the use, which is field `field` of statm.
std::optional<std::int64_t> of_limit(decltype(RLIMIT_AS) resource, int field) {
  const auto limit = limit_of(resource);
  if (!limit) return std::nullopt;
  const std::string statm = read_proc_file("/proc/self/statm");
  std::string_view rest = statm;
  for (int i = 0; i < field; ++i) rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
  const std::int64_t used = number_after(rest, "").value_or(0) * ::sysconf(_SC_PAGESIZE);
  return std::max<std::int64_t>(0, *limit - used);
}

// If the limit of the address space is the reason why there are no `bytes` bytes: how to lift it.
std::string limit_hint(std::int64_t bytes) {
  const auto left = of_limit(RLIMIT_AS, kSizePages);
  return left && bytes > *left ? "ulimit -v unlimited lifts the limit of the address space" : "";
}

// File names of one cgroup version.
struct GroupFiles {
  std::vector<const char*> limits;
  const char* usage;
  std::array<const char*, 2> cached;  // keys of memory.stat that count file pages
};

// The memory left in one group.
std::optional<std::int64_t> left_in(const std::string& folder, const GroupFiles& files) {
  std::optional<std::int64_t> most;
  for (const char* const name : files.limits) {
    take_least(most, number_after(read_proc_file(cat(folder, "/", name)), ""));
  }
  if (!most) return std::nullopt;
  std::int64_t used = number_after(read_proc_file(cat(folder, "/", files.usage)), "").value_or(0);
  const std::string stat = read_proc_file(cat(folder, "/memory.stat"));
  for (const char* const key : files.cached) used -= number_after(stat, key).value_or(0);
  return std::max<std::int64_t>(0, *most - std::max<std::int64_t>(0, used));
}

// The least memory left in a group and all its ancestors. In a container the path may not exist below the
// mount point; the mount point is then the group of the container.
std::optional<std::int64_t> least_left(const std::string& mount, std::string path, const GroupFiles& files) {
  std::optional<std::int64_t> least;
  if (path == "/" || path.find("/..") != std::string::npos) path.clear();
  while (true) {
    take_least(least, left_in(cat(mount, path), files));
    if (path.empty()) return least;
    path.resize(std::min(path.rfind('/'), path.size() - 1));
  }
}

struct GroupPaths {
  std::string version1;
  std::string version2;
};

// Lines "NUMBER:CONTROLLERS:PATH"; version 2 has number 0 and no controllers.
GroupPaths group_paths(std::string_view text) {
  GroupPaths paths;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers = cat(",", line.substr(first + 1, second - first - 1), ",");
    const std::string_view path = line.substr(second + 1);
    if (line.starts_with("0::")) paths.version2 = path;
    if (controllers.find(",memory,") != std::string::npos) paths.version1 = path;
  }
  return paths;
}

}  // namespace

std::optional<std::int64_t> cgroup_memory(const std::string& root) {
  const GroupFiles version1 = {
      {"memory.limit_in_bytes"}, "memory.usage_in_bytes", {"\ntotal_inactive_file", "\ntotal_active_file"}};
  const GroupFiles version2 = {
      {"memory.max", "memory.high"}, "memory.current", {"\ninactive_file", "\nactive_file"}};
  const std::string mount = cat(root, "/sys/fs/cgroup");
  const GroupPaths paths = group_paths(read_proc_file(cat(root, "/proc/self/cgroup")));
  auto least = least_left(cat(mount, "/memory"), paths.version1, version1);
  take_least(least, least_left(mount, paths.version2, version2));
  take_least(least, least_left(cat(mount, "/unified"), paths.version2, version2));
  return least;
}

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
  throw MemoryError(cat(what, " needs ", bytes, " bytes of memory, ", *free, " are free"), "",
                    limit_hint(bytes));
}

void throw_out_of_memory(std::string_view context) {
  const auto free = os().free_memory();
  throw MemoryError(cat(context, ": out of memory", free ? cat(": ", *free, " bytes are free") : ""));
}

void throw_not_mapped(std::int64_t bytes, const std::string& path, const std::string& what) {
  const auto limit = errno == ENOMEM ? limit_of(RLIMIT_AS) : std::nullopt;
  if (!limit) throw_errno(path, what);
  throw Error(cat(printable(path), ": ", what, ": it has ", counted(bytes, "byte"),
                  ", and the limit of the address space (ulimit -v) is ", *limit, " bytes"),
              "", limit_hint(bytes));
}

void throw_no_memory(std::int64_t bytes, std::string_view what) {
  const auto free = os().free_memory();
  throw MemoryError(
      cat("out of memory: ", what, " needs ", bytes, " bytes", free ? cat(", ", *free, " are free") : ""), "",
      limit_hint(bytes));
}

}  // namespace tensorop
