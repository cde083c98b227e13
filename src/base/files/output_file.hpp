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

#include "base/files/file_io.hpp"
#include "base/files/mapping.hpp"
#include "base/files/temporary_entry.hpp"
#include "base/text/error.hpp"

namespace tensorop {

class MappedFile;
class ReplacedFile;

// The error for a destination that is a directory.
[[nodiscard]] Error directory_error(const std::string& path);

// Throws the Error that OutputFile::create() and reserve() would throw for a result of `bytes` bytes, as far
// as can be known if nothing is written.
void require_destination(const std::string& path, std::int64_t bytes);

// A result file until it is published.
//
// If the destination is a regular file or does not exist, the result is written to a temporary file in the
// folder of the destination, and commit() renames it; until then the destination is unchanged, and an
// OutputFile that is destroyed without commit() leaves no file. If the file system supports O_TMPFILE, the
// temporary file has no name, so that even kill -9 leaves no file; otherwise it is a TemporaryEntry. A
// symbolic link is followed: its target is replaced. An existing destination keeps its mode, access control
// list and user attributes, and its owner if the system allows; neither the temporary file nor the result is
// ever accessible to more users.
//
// Any other destination (a FIFO, a device, standard output) is a stream: written sequentially and without a
// temporary file. A name of an open descriptor, such as /dev/stdout or /dev/fd/3, is a stream too, also if
// the descriptor is a regular file: the data goes to its file position.
class OutputFile {
 public:
  // Who writes the temporary file. Processes on several machines do not map it: with a mapping, a network
  // file system writes back whole pages, and overwrites parts that another machine has written.
  enum class Writers : std::uint8_t { this_process, this_machine, machines };
  // "-" is standard output. Throws Error naming `path` if it is a directory, or cannot be created or written.
  // With `durable` the result survives a power loss once commit() has returned: the file is synced before it
  // is published, its name after. `shown` is the name in messages, if the user does not know `path`. Other
  // `writers` call join(). `replaced`: publishing fails if the file at `path` is no longer the one, or none,
  // as in `replaced`; null: any file is replaced.
  static OutputFile create(const std::string& path, bool durable = false, const std::string& shown = {},
                           Writers writers = Writers::this_process,
                           std::shared_ptr<const ReplacedFile> replaced = nullptr);
  // A temporary file that other processes join; it has a name.
  struct Shared {
    std::string path;
    std::uint64_t number = 0;  // inode number
    std::int64_t bytes = 0;
  };
  // Opens the temporary file of another process for write_at(), map() and leave(). Only the process that
  // called create() publishes it. Throws Error naming `path`, the destination, also if the shared name leads
  // to another file on this machine.
  static OutputFile join(const Shared& shared, const std::string& path, bool durable, Writers writers);
  // Standard output, always as a stream.
  static OutputFile standard_output();

  [[nodiscard]] const std::string& name() const { return name_; }
  // True for a stream: only append() works, and written bytes cannot be withdrawn.
  [[nodiscard]] bool is_stream() const { return is_stream_; }

  // Throws Error if the file system has less than `bytes` free. Not for streams.
  void require_space(std::int64_t bytes) const;
  // Makes the file `bytes` long and reserves the space for it, except for the `shared` bytes that it has.
  // Throws Error before anything is written if the file system has too little space. Not for streams.
  void reserve(std::int64_t bytes, std::int64_t shared = 0);
  // Writes at an offset of a reserved file, or over appended bytes. Thread-safe. Not for streams.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  // Writes after all bytes appended so far.
  void append(std::span<const std::byte> bytes);
  // Bytes of a block that files can share: a range is shared if it begins at the same byte of a block in
  // both.
  static constexpr std::int64_t kBlock = 4096;
  // Bytes of the smallest range for which that is worthwhile.
  static constexpr std::int64_t kLeastShared = 1 << 20;
  // Bytes of a range.
  struct Part {
    std::int64_t first = 0;
    std::int64_t bytes = 0;
  };
  // Shares the whole blocks of the range `first` to `first` + `bytes` of the file `from` with this one, where
  // the range begins at `offset`, if the file system can. Returns the part that is shared. Not for streams.
  [[nodiscard]] Part share(std::int64_t offset, const MappedFile& from, std::int64_t first,
                           std::int64_t bytes) const;
  // Copy `bytes` bytes of the file `from`, starting at byte `first`: copy_at() to an offset of a reserved
  // file, append() after all bytes appended so far. The system shares or copies the bytes if it can.
  void copy_at(std::int64_t offset, const MappedFile& from, std::int64_t first, std::int64_t bytes) const;
  void append(const MappedFile& from, std::int64_t first, std::int64_t bytes);
  // The reserved file as writable memory, page-aligned, valid until commit(). Not for streams.
  std::span<std::byte> map(std::int64_t bytes);
  // The values for join(). Call after reserve().
  [[nodiscard]] Shared shared() const;
  // Ends the writing of a joined file: the publishing process then sees all bytes written. No more may be
  // written.
  void leave();
  // Ends the writing: no more may be written. Closes the file if possible, and syncs it if durable, so that
  // commit() only changes names. A stream does this in commit().
  void finish();
  // Publishes the result. After it returns, the destination holds the complete result; if it throws, the
  // destination is unchanged.
  void commit();

 private:
  OutputFile() = default;
  void open_temporary(Writers writers, mode_t mode);
  void take_owner_and_mode(const struct stat& old);
  // Copies the access control list. Returns the mode for the result, given the `mode` of the old file.
  mode_t take_access_list(mode_t mode);
  void take_attributes();
  // An extended attribute of the destination. Null with errno.
  [[nodiscard]] std::optional<std::string> attribute(const char* name) const;
  // Without an offset, writes after all bytes appended so far.
  void write(std::span<const std::byte> bytes, std::optional<std::int64_t> offset) const;
  void publish();
  void sync_file() const;
  void sync_name() const;

  std::string name_;         // the name that the user knows, for messages
  std::string destination_;  // with symbolic links resolved
  FileDescriptor fd_;
  std::unique_ptr<TemporaryEntry> temporary_;  // null while the temporary file has no name
  bool is_stream_ = false;
  bool durable_ = false;
  bool is_finished_ = false;
  std::int64_t appended_ = 0;  // bytes, if it is no stream
  Mapping mapping_;
  std::shared_ptr<const ReplacedFile> replaced_;
};

// Writes text to standard output. Throws Error when it cannot write all of it.
void print(std::string_view text);

}  // namespace tensorop
