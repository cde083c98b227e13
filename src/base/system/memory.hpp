// Checks a large size before it is allocated: too little memory is an Error with both sizes, instead of the
// end of this or another process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tensorop {

// Throws MemoryError "WHAT needs N bytes of memory, M are free" if the memory is not available. Small sizes
// are not checked: the allocation itself fails.
void require_memory(std::int64_t bytes, std::string_view what);

// Throws MemoryError "out of memory: WHAT needs N bytes, M are free": an allocation of `bytes` failed.
[[noreturn]] void throw_no_memory(std::int64_t bytes, std::string_view what);

// Throws Error "PATH: WHAT: REASON", the reason being errno in words or the limit of the address space of
// this process: a file of `bytes` bytes cannot be mapped.
[[noreturn]] void throw_not_mapped(std::int64_t bytes, const std::string& path, const std::string& what);

// Bytes for buffers if the user sets no limit: half of the free memory, not counting swap space. At least 1.
[[nodiscard]] std::int64_t default_memory();

// The share of one of `sharers` in `memory`, or in default_memory() if `memory` is 0; at least 1.
[[nodiscard]] std::int64_t memory_part(std::int64_t memory, int sharers);

// Bytes that the memory cgroups of this process (versions 1 and 2) still grant: the least of its own group
// and all ancestors, such as the group of a container or a service. Pages in the page cache count as free:
// the system drops them first. Nothing if no group has a limit. Files are read below `root`, which is empty
// outside of tests. Source: the Linux kernel documentation, admin-guide/cgroup-v1/memory.rst and
// admin-guide/cgroup-v2.rst.
[[nodiscard]] std::optional<std::int64_t> cgroup_memory(const std::string& root);

}  // namespace tensorop
