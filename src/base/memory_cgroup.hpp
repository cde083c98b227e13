// Memory limits of the groups that this process is in: those of a container, or of a service.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tensorop {

// Bytes that the memory cgroups of this process, of version 1 and 2, still grant it: the least of its own and
// of all that they are in. Pages of files in the page cache are free: the system drops them first. Nothing
// where no group has a limit. Files are read below `root`, which is empty outside of tests.
[[nodiscard]] std::optional<std::int64_t> cgroup_memory(const std::string& root);

}  // namespace tensorop
