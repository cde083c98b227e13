// Input files, each as complete bytes in memory.
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

// A whole regular file as read-only memory, page-aligned; unmapped with the last owner. Or a buffer with the
// bytes of an input that cannot be mapped; such a buffer never changes.
class MappedFile {
 public:
  // `opened` is the result of fstat() for `fd`. Throws Error naming `path` if the file cannot be mapped.
  MappedFile(const FileDescriptor& fd, const std::string& path, const struct stat& opened);
  // `owner` keeps `bytes` alive.
  MappedFile(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), bytes_(bytes) {}

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Throws Error if the size or the modification time of the file has changed. A new file under the same name
  // is not a change: the mapping still shows the old file.
  void require_unchanged() const;
  // Whether the path still leads to this file, and the file is unchanged.
  [[nodiscard]] bool is_current() const;
  // Whether both are mappings of one file; whether size and modification time were equal when each was
  // opened.
  [[nodiscard]] bool is_same_file(const MappedFile& other) const;
  [[nodiscard]] bool has_content_of(const MappedFile& other) const;
  // Estimates the share (0 to 1) of the `bytes` bytes at `begin`, a part of bytes(), that is in memory.
  // Samples some dozens of places in less than a millisecond. Nothing if the system does not say.
  [[nodiscard]] std::optional<double> resident_share(const std::byte* begin, std::int64_t bytes) const;

  // Opens the file again for reading. The descriptor is not open if the path leads to another file now, or
  // may no longer be read.
  [[nodiscard]] FileDescriptor reopen() const;

 private:
  std::string path_ = {};
  bool is_standard_input_ = false;  // path_ is then no path
  struct stat opened_ {};
  Mapping mapping_ = {};
  std::shared_ptr<const void> owner_ = {};  // keeps a buffer alive; null for a mapped file
  std::span<const std::byte> bytes_;
};

// The files that a call reads, mapped until the call ends. Each call owns its inputs: a file that changes
// while it is read fails only the calls that read it.
class Inputs {
 public:
  // A null `file` stands for an input from text, not from a file.
  void add(std::shared_ptr<const MappedFile> file);
  // Call this before publishing a result of the inputs. A change during reading is either detected here or
  // ends the process (mapping.hpp). Throws Error naming the file.
  void require_unchanged() const;
  // The file whose mapping contains that address, valid as long as this object; null for other memory.
  [[nodiscard]] const MappedFile* find(const std::byte* data) const;

 private:
  std::vector<std::shared_ptr<const MappedFile>> files_;
};

// How to read a stream: a pipe, or any other file that cannot be mapped.
struct StreamReading {
  // Number of bytes that format detection needs: 64 KiB, and the frame of the longest NPY header.
  static constexpr std::int64_t kHeadBytes = (1 << 16) + 64;

  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

  // Called with the first kHeadBytes bytes of a longer stream and, while it returns kUnknown, with all bytes
  // so far after each read. Returns the number of bytes to read: 0 if these already have an error, else the
  // size that they declare, or kUnknown. Throws Error to refuse the stream. May be null.
  std::function<std::int64_t(std::string_view head)> enough = nullptr;
  // Returns a temporary file for a stream of `bytes` bytes, or nothing to keep the stream in memory. May be
  // null.
  std::function<std::optional<ScratchFile>(std::int64_t bytes)> spill = nullptr;
};

// An input as complete bytes: a regular file is mapped; a stream is read to its end, into memory or into a
// temporary file, which is then mapped.
class InputFile {
 public:
  // Throws Error naming `path` if it does not exist, may not be read, or is a directory.
  static InputFile open(const std::string& path, const StreamReading& reading = {});
  // As open(), but returns nothing, with errno set, if the file does not exist.
  static std::optional<InputFile> open_existing(const std::string& path, const StreamReading& reading = {});
  // Opens standard input. Throws Error if it is a terminal.
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
