// Writing safetensors files, byte for byte as the reference implementation: arrays sorted by dtype, wide ones
// first, then by name; a header padded so that the data is aligned to 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/output_file.hpp"
#include "io/archive.hpp"
#include "io/safetensors/safetensors_header.hpp"

namespace tensorop {

class SafetensorsWriter final : public ArchiveWriter {
 public:
  // `path` as in Destination. Throws Error naming it.
  SafetensorsWriter(const std::string& path, const ArchiveOptions& options);

  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  [[nodiscard]] bool needs_announcement() const override { return true; }
  // Of a file it claims the space.
  [[nodiscard]] std::vector<std::size_t> announce(const std::vector<ArchiveArray>& arrays) override;
  // The sink writes to a file at any offset.
  [[nodiscard]] std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                          std::int64_t characters) override;
  void finish() override;
  void commit() override;

 private:
  class Member;

  void start_stream();

  OutputFile file_;
  Metadata metadata_;
  std::vector<SafetensorsArray> arrays_;  // in the order of the file
  std::string header_;
  std::size_t added_ = 0;
  bool started_ = false;  // a stream has the header
};

// Format::require_name and Format::create_archive of safetensors.
void require_safetensors_name(const std::string& name);
[[nodiscard]] std::unique_ptr<ArchiveWriter> create_safetensors(const std::string& path,
                                                                const ArchiveOptions& options);

}  // namespace tensorop
