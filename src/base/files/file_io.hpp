// Open files, and operations shared by all files that are written: reserving space, syncing, and complete
// reads and writes at an offset, although the system may split or interrupt them.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tensorop {

// Owns a file descriptor, and closes it when destroyed.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  // Closes the descriptor now; false with errno if the system reports a failure.
  bool close();

 private:
  int fd_ = -1;
};

// Compare two files: the same inode; the same size and modification time.
[[nodiscard]] bool has_same_inode(const struct stat& a, const struct stat& b);
[[nodiscard]] bool has_same_content(const struct stat& a, const struct stat& b);

// Bytes that this user may still write to the file system of `fd`; nothing if unknown.
[[nodiscard]] std::optional<std::int64_t> free_space(int fd);

// Makes the file `bytes` long and reserves the space for it. The file is sparse if the file system cannot
// reserve space. False with errno.
[[nodiscard]] bool claim_space(int fd, std::int64_t bytes);

// After a read or a write that failed with errno: whether to try again, because a signal interrupted it, or
// because the descriptor is non-blocking, as another program may have left it; then waits for it. `events` as
// in poll(). False with errno.
[[nodiscard]] bool may_retry(int fd, short events);

// Writes all of `bytes` at `offset`, or at the file position if there is no offset. False with errno, which
// is 0 if the system accepts no bytes.
[[nodiscard]] bool write_all(int fd, std::span<const std::byte> bytes, std::optional<std::int64_t> offset);

// Copies `bytes` bytes of the file `from`, starting at byte `first`, to `offset` of the file `to`. Returns
// the number of bytes copied: fewer if the system cannot copy between the two.
[[nodiscard]] std::int64_t copy_between(int from, std::int64_t first, int to, std::int64_t offset,
                                        std::int64_t bytes);

// Writes the contents of the file to the disk. False with errno.
[[nodiscard]] bool sync(int fd);

// Writes the directory entries of the folder to the disk. False with errno.
[[nodiscard]] bool sync_folder(const std::string& path);

}  // namespace tensorop
