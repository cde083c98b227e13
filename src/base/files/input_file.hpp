// Files to read: regular files are mapped, all others are read as streams.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files/file_io.hpp"
#include "base/files/mapping.hpp"

namespace tensorop {

// The whole of a regular file as read-only memory, page-aligned; unmapped with the last owner.
class MappedFile {
 public:
  // `opened` is what fstat() says of `fd`. Throws Error naming `path` when the file cannot be mapped.
  MappedFile(const FileDescriptor& fd, const std::string& path, const struct stat& opened);

  [[nodiscard]] std::span<const std::byte> bytes() const { return mapping_.bytes(); }
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
  std::string path_;
  bool is_standard_input_;  // path_ is then not that of a file
  struct stat opened_;
  Mapping mapping_;
};

// The files that a call reads, kept mapped until it ends. Each call owns its inputs: a file that changes
// while it is read fails the calls that read it, and no other.
class Inputs {
 public:
  // A null `file` is an input that is not mapped, which cannot change: a stream, or text.
  void add(std::shared_ptr<const MappedFile> file);
  // To be called before a result of the inputs is published. A change during reading is either seen here or
  // ends the process (mapping.hpp). Throws Error naming the file.
  void require_unchanged() const;
  // The file that has the byte at that address, valid as long as this object; null for other memory.
  [[nodiscard]] const MappedFile* find(const std::byte* data) const;

 private:
  std::vector<std::shared_ptr<const MappedFile>> files_;
};

// An open input: either mapped, or a stream that is read once from front to end.
class InputFile {
 public:
  // Throws Error naming `path` when it does not exist, may not be read, or is a directory.
  static InputFile open(const std::string& path);
  // The same, but returns nothing, with errno, when no file has that name.
  static std::optional<InputFile> open_existing(const std::string& path);
  // Standard input. Throws Error when it is a terminal.
  static InputFile standard_input();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_standard_input() const;
  // The mapping, or null for a stream.
  [[nodiscard]] const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }
  // Reads up to buffer.size() bytes of a stream; fewer only at its end. Throws Error on failure.
  std::size_t read(std::span<std::byte> buffer);
  // The same, but only what is there now, at least one byte; 0 at the end.
  std::size_t read_some(std::span<std::byte> buffer);
  // What comes next in a stream, without taking it: at least `size` bytes, fewer only at its end. Valid until
  // the next call. Throws Error on failure.
  std::span<const std::byte> peek(std::size_t size);
  // The same, but of bytes that were not peeked before only what is there now, at least one; up to `size`.
  std::span<const std::byte> peek_some(std::size_t size);

 private:
  InputFile(std::string name, FileDescriptor fd) : name_(std::move(name)), fd_(std::move(fd)) {}
  void map_if_regular();
  std::size_t read_descriptor(std::span<std::byte> buffer);

  std::string name_;
  FileDescriptor fd_;
  std::shared_ptr<const MappedFile> mapping_;
  std::vector<std::byte> ahead_;  // of a stream: peeked, and not taken
};

}  // namespace tensorop
