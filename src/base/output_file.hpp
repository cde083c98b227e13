// Files to write: a result appears under its destination's name whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/input_file.hpp"
#include "base/pending_names.hpp"

namespace tensorop {

// One result on its way to its destination.
//
// A regular file (or a name that is still free) is written beside the destination and put in its place by
// commit(); until then the destination is as it was, and an OutputFile that goes without commit() leaves
// nothing behind. Where the file system can, the file has no name until then (O_TMPFILE), so that not even
// kill -9 leaves anything; elsewhere it is called .tensorop-XXXXXX.tmp and removed by the handlers of
// SIGINT, SIGTERM and SIGHUP. What kill -9 leaves there is removed by whoever writes the same destination
// next: the name follows from the destination's, and whoever is still writing holds a lock. A symbolic link
// is followed: its target is replaced. An existing destination keeps its mode, and its owner where the system
// allows.
//
// Anything else (a FIFO, a device, standard output) is a stream: written from front to end as it comes. So is
// what a name like /dev/stdout stands for, also where that is a regular file.
class OutputFile {
 public:
  // Throws Error naming `path` when it is a directory, or cannot be created or written. With `durable` the
  // result is there after a power loss too, once commit() has returned: the file goes to the disk before it
  // is published, its name after.
  static OutputFile create(const std::string& path, bool durable = false);
  // Standard output, always a stream.
  static OutputFile standard_output();

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] const std::string& name() const { return name_; }
  // True for a stream: only append() works, and what is written cannot be taken back.
  [[nodiscard]] bool is_stream() const { return is_stream_; }

  // Throws Error when `bytes` do not fit in what the file system has free. Not for streams.
  void require_space(std::int64_t bytes) const;
  // Makes the file `bytes` long and claims the space for it. Throws Error when it does not fit on the file
  // system, before anything is written. Not for streams.
  void reserve(std::int64_t bytes);
  // Writes at an offset of a reserved file, any number of threads at once; or over what was appended. Not for
  // streams.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  // Writes after what was appended before.
  void append(std::span<const std::byte> bytes);
  // The reserved file as writable memory, page-aligned, valid until commit(). Not for streams.
  std::span<std::byte> map(std::int64_t bytes);
  // Publishes. After it returns the destination holds the whole result; when it throws, what it held before.
  void commit();

 private:
  OutputFile() = default;
  void open_temporary();
  bool create_named(int attempt);
  void write_loop(std::span<const std::byte> bytes, std::int64_t offset, bool positioned) const;
  void unmap();
  void publish();
  void link_temporary();
  void sync_file() const;
  void sync_name() const;
  void remove_temporary();

  std::string name_;                        // as the user gave it, for messages
  std::string destination_;                 // with symbolic links resolved
  std::unique_ptr<PendingName> temporary_;  // of the temporary file, null while it has none
  FileDescriptor fd_;
  bool is_stream_ = false;
  bool durable_ = false;
  std::span<std::byte> mapping_;
  std::unique_ptr<MappingGuard> guard_;  // of the mapping
};

// Writes text to standard output. Throws Error when not all of it gets there.
void print(std::string_view text);

}  // namespace tensorop
