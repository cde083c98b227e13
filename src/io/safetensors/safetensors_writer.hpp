// Writing safetensors files, byte for byte as the reference implementation: arrays sorted by dtype, wide ones
// first, then by name; a header padded so that the data is aligned to 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "io/archive.hpp"
#include "io/safetensors/safetensors_header.hpp"

namespace tensorop {

class SafetensorsWriter final : public ArchiveWriter {
 public:
  // A file whose arrays and metadata stay but for one array: of an array that is replaced by one of its dtype
  // the place too; another one goes where the reference implementation has it among arrays in its order.
  struct Kept {
    std::shared_ptr<const MappedFile> file;
    std::int64_t data_offset;  // in the file
    SafetensorsHeader header;
  };

  // `path` as in Destination. Throws Error naming it.
  SafetensorsWriter(const std::string& path, const ArchiveOptions& options, std::optional<Kept> kept = {});

  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  [[nodiscard]] bool needs_announcement() const override { return true; }
  // Of a file it claims the space. Beside a file that is kept, one array.
  [[nodiscard]] std::vector<std::size_t> announce(const std::vector<ArchiveArray>& arrays) override;
  // The sink writes to a file at any offset.
  [[nodiscard]] std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                          std::int64_t characters) override;
  void finish() override;
  void commit() override;

 private:
  class Member;

  // Bytes of the kept file's data, and where they go in the data of this one.
  struct Copy {
    std::int64_t from;
    std::int64_t to;
    std::int64_t bytes;
  };

  void announce_among_kept(const ArchiveArray& added);
  void write_header();
  void start_stream();

  OutputFile file_;
  Metadata metadata_;
  std::optional<Kept> kept_;
  std::vector<Copy> copies_;
  std::vector<SafetensorsArray> arrays_;  // in the order of the file
  std::string header_;
  std::int64_t data_bytes_ = 0;
  std::size_t added_ = 0;  // the array of the next add()
  bool started_ = false;   // a stream has the header
};

// Format::require_name and Format::create_archive of safetensors.
void require_safetensors_name(const std::string& name);
[[nodiscard]] std::unique_ptr<ArchiveWriter> create_safetensors(const std::string& path,
                                                                const ArchiveOptions& options);

}  // namespace tensorop
