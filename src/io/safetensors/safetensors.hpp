// Reading safetensors files: arrays one after the other, and a header that says where. The header is read by
// io/safetensors/safetensors_header.hpp, io/safetensors/safetensors_writer.hpp writes them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/safetensors/safetensors_header.hpp"

namespace tensorop {

// Enough of the first bytes for begins_as_safetensors().
inline constexpr std::size_t kSafetensorsDetectBytes = 9;
// A length that a header may have, and the first character of a JSON object or white space.
[[nodiscard]] bool begins_as_safetensors(std::string_view head);

class SafetensorsArchive final : public Archive {
 public:
  // Reads the header; of a stream nothing more. A stream outlives the archive. Throws Error.
  explicit SafetensorsArchive(InputFile& file);

  // All members are arrays, in the order of the header.
  [[nodiscard]] std::size_t size() const override { return header_.arrays.size(); }
  [[nodiscard]] bool is_array(std::size_t /*member*/) const override { return true; }
  [[nodiscard]] std::string_view name(std::size_t member) const override {
    return header_.arrays[member].name;
  }
  [[nodiscard]] std::optional<std::size_t> lookup(std::string_view name) const override;
  [[nodiscard]] const Metadata& metadata() const override { return header_.metadata; }
  [[nodiscard]] const std::vector<std::string>& warnings() const override { return header_.warnings; }

  // An array stays in the mapping. Of a stream the only array is read, and only
  // once.
  [[nodiscard]] Tensor read(std::size_t member, const ArrayReading& reading) const override;
  [[nodiscard]] FileInfo describe(std::size_t member) const override;
  [[nodiscard]] std::unique_ptr<ArchiveWriter> rewrite(const std::string& path, const std::string& name,
                                                       const ArchiveOptions& options) const override;

 private:
  std::shared_ptr<const MappedFile> mapping_;
  InputFile* stream_ = nullptr;   // where there is no mapping
  std::int64_t data_offset_ = 0;  // in the mapping
  SafetensorsHeader header_;
};

// Format::open_archive of safetensors.
[[nodiscard]] std::unique_ptr<Archive> open_safetensors(InputFile& file);

}  // namespace tensorop
