// Temporary files for data that memory does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/files/input_file.hpp"
#include "base/files/mapping.hpp"

namespace tensorop {

// A temporary file without a name: it goes with this object, or with the process, whatever ends it. Where the
// file system has no files without a name (O_TMPFILE), it has one for the moment of its creation.
class ScratchFile {
 public:
  // A file of `bytes` bytes in `folder`, their space claimed. Throws Error naming the folder when it cannot
  // be made, or the file system has less than that free.
  ScratchFile(const std::string& folder, std::int64_t bytes);

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  // Any number of threads at once. Bytes behind the end of the file make it longer. Throws Error naming the
  // folder.
  void write_at(std::int64_t offset, std::span<const std::byte> data) const;
  // Leaves the first `bytes` bytes. Throws Error naming the folder.
  void truncate(std::int64_t bytes);
  // The whole file as read-only memory, page-aligned, valid as long as this object; shows what is written
  // later. One thread at a time. Throws Error naming the folder.
  [[nodiscard]] std::span<const std::byte> map();
  // The same as a mapped file that keeps the temporary file: an input like any other.
  [[nodiscard]] std::shared_ptr<const MappedFile> into_mapped() &&;

 private:
  void open_file();

  std::string folder_;
  std::int64_t bytes_;
  FileDescriptor fd_;
  Mapping mapping_;
};

}  // namespace tensorop
