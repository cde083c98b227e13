// Writes safetensors files exactly as the reference implementation: arrays sorted by dtype, wide dtypes
// first, then by name; the header is padded so that the data is aligned to 8 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/archive.hpp"

namespace tensorop {

// `path` as in Destination. If much data is kept, the header is padded so that file systems can share its
// blocks. Throws Error naming the path.
[[nodiscard]] std::unique_ptr<ArchiveWriter> write_safetensors(const std::string& path,
                                                               const ArchiveOptions& options);

// Format::least_bytes of safetensors.
[[nodiscard]] std::int64_t safetensors_bytes(std::span<const ArchiveArray> arrays);

// Format::require_name of safetensors.
void require_safetensors_name(const std::string& name);

}  // namespace tensorop
