// Source: the kernel's documentation, admin-guide/cgroup-v1/memory.rst and admin-guide/cgroup-v2.rst.
#include "base/memory_cgroup.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/proc_file.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

// What the files of a group are called.
struct GroupFiles {
  std::vector<const char*> limits;
  const char* usage;
  std::array<const char*, 2> cached;  // keys in memory.stat: pages of files
};

// What is left in one group.
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

// The least of a group and of all that it is in. In a container the path may not exist below the mount point,
// which then is the group of the container.
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

}  // namespace tensorop
