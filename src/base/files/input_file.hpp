// Files to read, each as complete bytes in memory.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_io.hpp"
#include "base/files/mapping.hpp"

namespace tensorop {

class ScratchFile;

// The whole of a regular file as read-only memory, page-aligned; unmapped with the last owner. Or memory with
// the bytes of what cannot be mapped, which never changes.
class MappedFile {
 public:
  // `opened` is what fstat() says of `fd`. Throws Error naming `path` when the file cannot be mapped.
  MappedFile(const FileDescriptor& fd, const std::string& path, const struct stat& opened);
  // `owner` keeps `bytes`.
  MappedFile(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), bytes_(bytes) {}

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Throws Error when the size or the modification time of the file has changed. A new file of the same name
  // is not a change: the mapping is still that of the old file.
  void require_unchanged() const;
  // Whether the name is still that of this file, and the file unchanged.
  [[nodiscard]] bool is_current() const;
  // Whether both are mappings of one file; and whether its size and modification time were the same then.
  [[nodiscard]] bool is_same_file(const MappedFile& other) const;
  [[nodiscard]] bool has_content_of(const MappedFile& other) const;
  // The share of `bytes` bytes at `begin`, which lie in bytes(), that is in memory, between 0 and 1: of some
  // dozens of places spread evenly over them, in less than a millisecond. Nothing where the system does not
  // say.
  [[nodiscard]] std::optional<double> resident_share(const std::byte* begin, std::int64_t bytes) const;

  // The file, open for reading. Not open where the file of that name is another one, or may no longer be
  // read.
  [[nodiscard]] FileDescriptor reopen() const;

 private:
  std::string path_ = {};
  bool is_standard_input_ = false;  // path_ is then not that of a file
  struct stat opened_ {};
  Mapping mapping_ = {};
  std::shared_ptr<const void> owner_ = {};  // of memory; else null
  std::span<const std::byte> bytes_;
};

// The files that a call reads, kept mapped until it ends. Each call owns its inputs: a file that changes
// while it is read fails the calls that read it, and no other.
class Inputs {
 public:
  // A null `file` is an input that is no file: text.
  void add(std::shared_ptr<const MappedFile> file);
  // To be called before a result of the inputs is published. A change during reading is either seen here or
  // ends the process (mapping.hpp). Throws Error naming the file.
  void require_unchanged() const;
  // The file that has the byte at that address, valid as long as this object; null for other memory.
  [[nodiscard]] const MappedFile* find(const std::byte* data) const;

 private:
  std::vector<std::shared_ptr<const MappedFile>> files_;
};

// How a stream is read: a pipe, or any other file that cannot be mapped.
struct StreamReading {
  // Bytes from which the kind of a stream is known: 64 KiB, and the frame of the longest NPY header.
  static constexpr std::int64_t kHeadBytes = (1 << 16) + 64;

  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

  // Given the first kHeadBytes bytes of a longer stream: how many bytes are to be read. 0: what is there has
  // an error already. Else what it promises; kUnknown: nothing. Throws Error to refuse the stream. May be
  // null.
  std::function<std::int64_t(std::string_view head)> enough = nullptr;
  // Returns the temporary file for a stream of `bytes` bytes; nothing: they are kept in memory. May be null.
  std::function<std::optional<ScratchFile>(std::int64_t bytes)> spill = nullptr;
};

// An input as complete bytes: a regular file is mapped; a stream is read to its end, into memory or into a
// temporary file, which is then mapped.
class InputFile {
 public:
  // Throws Error naming `path` when it does not exist, may not be read, or is a directory.
  static InputFile open(const std::string& path, const StreamReading& reading = {});
  // The same, but returns nothing, with errno, when no file has that name.
  static std::optional<InputFile> open_existing(const std::string& path, const StreamReading& reading = {});
  // Standard input. Throws Error when it is a terminal.
  static InputFile standard_input(const StreamReading& reading = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_standard_input() const { return is_standard_input_; }
  [[nodiscard]] bool is_stream() const { return is_stream_; }
  // Never null.
  [[nodiscard]] const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return mapping_->bytes(); }

 private:
  InputFile(std::string name, const FileDescriptor& fd, const StreamReading& reading);

  std::string name_;
  bool is_standard_input_;
  bool is_stream_ = false;
  std::shared_ptr<const MappedFile> mapping_;
};

}  // namespace tensorop
