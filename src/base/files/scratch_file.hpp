// Temporary files for data that exceeds memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/files/input_file.hpp"
#include "base/files/mapping.hpp"

namespace tensorop {

// A temporary file without a name: removed with this object, or with the process, however it ends. On a file
// system without O_TMPFILE the file has a name during its creation.
class ScratchFile {
 public:
  // Creates a file of `bytes` bytes in `folder` and reserves its space. Throws Error naming the folder if the
  // file cannot be created, or if the file system has less space free.
  ScratchFile(const std::string& folder, std::int64_t bytes);

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  // Thread-safe. Writing beyond the end extends the file. Throws Error naming the folder.
  void write_at(std::int64_t offset, std::span<const std::byte> data) const;
  // Cuts the file to its first `bytes` bytes. Throws Error naming the folder.
  void truncate(std::int64_t bytes);
  // Maps the whole file as read-only memory, page-aligned, valid as long as this object, or until the file is
  // cut and mapped again; later writes are visible in it. One thread at a time. Throws Error naming the
  // folder.
  [[nodiscard]] std::span<const std::byte> map();
  // As map(), but returns a MappedFile that owns the temporary file: an input like any other.
  [[nodiscard]] std::shared_ptr<const MappedFile> into_mapped() &&;

 private:
  void open_file();

  std::string folder_;
  std::int64_t bytes_;
  FileDescriptor fd_;
  Mapping mapping_;
};

}  // namespace tensorop
