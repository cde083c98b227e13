// Writing safetensors files, byte for byte as the reference implementation: arrays sorted by dtype, wide ones
// first, then by name; a header padded so that the data is aligned to 8 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/safetensors/safetensors_header.hpp"

namespace tensorop {

// A file whose arrays and metadata stay but for one array: of an array that is replaced by one of its dtype
// the place too; another one goes where the reference implementation has it among arrays in its order.
struct KeptSafetensors {
  std::shared_ptr<const MappedFile> file;
  std::int64_t data_offset;  // in the file
  SafetensorsHeader header;
};

// `path` as in Destination. Throws Error naming it.
[[nodiscard]] std::unique_ptr<ArchiveWriter> write_safetensors(const std::string& path,
                                                               const ArchiveOptions& options,
                                                               std::optional<KeptSafetensors> kept = {});

// Format::require_name of safetensors.
void require_safetensors_name(const std::string& name);

}  // namespace tensorop
