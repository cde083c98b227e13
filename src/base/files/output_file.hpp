// Output files: a result file is complete or absent.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files/file_io.hpp"
#include "base/files/mapping.hpp"
#include "base/files/temporary_entry.hpp"

namespace tensorop {

class MappedFile;
class ReplacedFile;

// The error of a destination that is a directory.
[[nodiscard]] Error directory_error(const std::string& path);

// One result on its way to its destination.
//
// A regular file (or a name that is still free) is written as a temporary file in the folder of the
// destination, and renamed to it by commit(); until then the destination is unchanged, and an OutputFile that
// is destroyed without commit() leaves no file. Where the file system can, the temporary file has no name
// (O_TMPFILE), so that not even kill -9 leaves it; elsewhere it is a TemporaryEntry. A symbolic link is
// followed: its target is replaced. An existing destination keeps its mode, its access control list and its
// attributes of users, and its owner where the system allows; neither the temporary file nor the result is
// ever open to more users.
//
// Anything else (a FIFO, a device, standard output) is a stream: written from front to end, at once. So is a
// name of an open descriptor, like /dev/stdout or /dev/fd/3, also if it is that of a regular file: it is
// written where the descriptor stands.
class OutputFile {
 public:
  // Who writes a temporary file. Processes of several machines do not map it: a network file system that may
  // read the file writes whole pages back, also what another machine has written of them.
  enum class Writers : std::uint8_t { this_process, this_machine, machines };
  // "-" is standard output. Throws Error naming `path` when it is a directory, or cannot be created or
  // written. With `durable` the result survives a power loss once commit() has returned: the file is written
  // to the disk before it is published, its name after. `shown` names the file in messages, where it is not
  // `path` that the user knows. Other `writers` join() it. `replaced`: what is at `path` must be that still,
  // or nothing, when the result is published; null: whatever is there is replaced.
  static OutputFile create(const std::string& path, bool durable = false, const std::string& shown = {},
                           Writers writers = Writers::this_process,
                           std::shared_ptr<const ReplacedFile> replaced = nullptr);
  // The temporary file as other processes find it: by its name, for it has one.
  struct Shared {
    std::string path;
    std::uint64_t number = 0;  // of the file on its file system
    std::int64_t bytes = 0;
  };
  // The temporary file of another process, which create() made and alone publishes: to be written with
  // write_at() or map(), and left. Throws Error naming `path`, the destination, also where that name is
  // another file here.
  static OutputFile join(const Shared& shared, const std::string& path, bool durable, Writers writers);
  // Standard output, always a stream.
  static OutputFile standard_output();

  [[nodiscard]] const std::string& name() const { return name_; }
  // True for a stream: only append() works, and written bytes cannot be revoked.
  [[nodiscard]] bool is_stream() const { return is_stream_; }

  // Throws Error when the file system has less than `bytes` free. Not for streams.
  void require_space(std::int64_t bytes) const;
  // Makes the file `bytes` long and claims the space for it. Throws Error when it does not fit on the file
  // system, before anything is written. Not for streams.
  void reserve(std::int64_t bytes);
  // Writes at an offset of a reserved file, any number of threads at once; or over what was appended. Not for
  // streams.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  // Writes after what was appended before.
  void append(std::span<const std::byte> bytes);
  // The same with bytes of a file: `bytes` of them, from byte `first` on; at an offset of a reserved file, or
  // after what was appended before. The system copies them where it can.
  void copy_at(std::int64_t offset, const MappedFile& from, std::int64_t first, std::int64_t bytes) const {
    copy(from, first, bytes, offset);
  }
  void append(const MappedFile& from, std::int64_t first, std::int64_t bytes) {
    copy(from, first, bytes, std::nullopt);
  }
  // The reserved file as writable memory, page-aligned, valid until commit(). Not for streams.
  std::span<std::byte> map(std::int64_t bytes);
  // What others join, after reserve().
  [[nodiscard]] Shared shared() const;
  // What join() opened: all that was written is seen by the process that publishes. No more may be written.
  void leave();
  // All is written: no more may be. The file is closed where it may be, and on the disk if it is durable, so
  // that commit() has only names left to change. A stream waits for commit().
  void finish();
  // Publishes. After it returns the destination holds the complete result; when it throws, the destination is
  // unchanged.
  void commit();

 private:
  OutputFile() = default;
  void open_temporary(Writers writers, mode_t mode);
  void take_owner_and_mode(const struct stat& old);
  // Returns the mode that the result may have, of the mode of `old`.
  mode_t take_access_list(mode_t mode);
  void take_attributes();
  // An extended attribute of the destination. Null with errno.
  [[nodiscard]] std::optional<std::string> attribute(const char* name) const;
  // After what was appended before, where there is no offset.
  void write(std::span<const std::byte> bytes, std::optional<std::int64_t> offset) const;
  void copy(const MappedFile& from, std::int64_t first, std::int64_t bytes,
            std::optional<std::int64_t> offset) const;
  void publish();
  void sync_file() const;
  void sync_name() const;

  std::string name_;         // as the user knows it, for messages
  std::string destination_;  // with symbolic links resolved
  FileDescriptor fd_;
  std::unique_ptr<TemporaryEntry> temporary_;  // null while the temporary file has no name
  bool is_stream_ = false;
  bool durable_ = false;
  bool is_finished_ = false;
  Mapping mapping_;
  std::shared_ptr<const ReplacedFile> replaced_;
};

// Writes text to standard output. Throws Error when it cannot write all of it.
void print(std::string_view text);

}  // namespace tensorop
