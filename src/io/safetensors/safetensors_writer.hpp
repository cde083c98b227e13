// Writes safetensors files exactly as the reference implementation: arrays sorted by dtype, wide dtypes
// first, then by name; the header is padded so that the data is aligned to 8 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/safetensors/safetensors_header.hpp"

namespace tensorop {

// A file whose arrays and metadata are kept except one array. The new array takes the place of a replaced
// array of the same dtype; otherwise it goes to its position in the reference implementation's order.
struct KeptSafetensors {
  std::shared_ptr<const MappedFile> file;
  std::int64_t data_offset;  // offset in the file
  SafetensorsHeader header;
};

// `path` as in Destination. Throws Error naming the path.
[[nodiscard]] std::unique_ptr<ArchiveWriter> write_safetensors(const std::string& path,
                                                               const ArchiveOptions& options,
                                                               std::optional<KeptSafetensors> kept = {});

// Format::require_name of safetensors.
void require_safetensors_name(const std::string& name);

}  // namespace tensorop
