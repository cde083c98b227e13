// Files that are appended to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tensorop {

// The size of a file that may be appended to; 0 where none has that name. Throws Error where it cannot be
// written.
[[nodiscard]] std::int64_t appendable_bytes(const std::string& path);

// Writes `bytes` at the end of a file that exists, in one piece where the system allows, so that several
// programs may append to it. Throws Error, and the file is as it was where no other program has written
// meanwhile.
void append_to_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace tensorop
