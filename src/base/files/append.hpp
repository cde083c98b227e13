// Appending to files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tensorop {

// The size of a file that will be appended to; 0 if it does not exist. Throws Error if it cannot be written.
[[nodiscard]] std::int64_t appendable_bytes(const std::string& path);

// Writes `bytes` at the end of an existing file, with one write if the system allows, so that several
// programs may append to it. If it throws Error, the file is unchanged, unless another program has written to
// it meanwhile.
void append_to_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace tensorop
