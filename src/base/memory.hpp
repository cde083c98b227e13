// Checks a large size before it is allocated: memory that the machine does not have is an error with both
// numbers, instead of the end of this or another process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tensorop {

// Throws MemoryError "WHAT needs N bytes of memory, M are free" when the memory is not available. Small sizes
// are not checked: the allocation itself fails.
void require_memory(std::int64_t bytes, std::string_view what);

// Throws MemoryError "out of memory: WHAT needs N bytes, M are free": an allocation of `bytes` failed.
[[noreturn]] void throw_no_memory(std::int64_t bytes, std::string_view what);

// Bytes that buffers may take where nobody says how many: half of what is free, not counting swap space.
// At least 1.
[[nodiscard]] std::int64_t default_memory();

// The part of `memory`, or of default_memory() where that is 0, that each of `sharers` has; at least 1.
[[nodiscard]] std::int64_t memory_part(std::int64_t memory, int sharers);

// Bytes that the memory cgroups of this process, of version 1 and 2, still grant it: the least of its own and
// of all that they are in, such as that of a container or a service. Pages of files in the page cache are
// free: the system drops them first. Nothing where no group has a limit. Files are read below `root`, which
// is empty outside of tests. Source: the kernel's documentation, admin-guide/cgroup-v1/memory.rst and
// admin-guide/cgroup-v2.rst.
[[nodiscard]] std::optional<std::int64_t> cgroup_memory(const std::string& root);

}  // namespace tensorop
