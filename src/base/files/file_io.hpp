// Open files, and what all that are written share: claiming space, going to the disk, and reading and writing
// at an offset whatever the system does in pieces or interrupts.
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
  // Closes now; false with errno when the system reports a failure.
  bool close();

 private:
  int fd_ = -1;
};

// Whether both are of one file; and whether its size and modification time are the same.
[[nodiscard]] bool has_same_inode(const struct stat& a, const struct stat& b);
[[nodiscard]] bool has_same_content(const struct stat& a, const struct stat& b);

// Bytes that this user may still write to the file system of `fd`; nothing where that is unknown.
[[nodiscard]] std::optional<std::int64_t> free_space(int fd);

// Makes the file `bytes` long and claims the space for it. File systems that cannot claim space get a sparse
// file. False with errno.
[[nodiscard]] bool claim_space(int fd, std::int64_t bytes);

// Writes all of `bytes` at `offset`; at the position of the file where there is none. False with errno, which
// is 0 where the system accepts no bytes.
[[nodiscard]] bool write_all(int fd, std::span<const std::byte> bytes, std::optional<std::int64_t> offset);

// Copies `bytes` bytes of the file `from`, from byte `first` on, to `offset` of the file `to`; to the
// position of that file where there is none. Returns how many were copied: fewer where the system cannot copy
// between the two.
[[nodiscard]] std::int64_t copy_between(int from, std::int64_t first, int to,
                                        std::optional<std::int64_t> offset, std::int64_t bytes);

// Writes what the file holds to the disk. False with errno.
[[nodiscard]] bool sync(int fd);

// Writes the names that the folder holds to the disk. False with errno.
[[nodiscard]] bool sync_folder(const std::string& path);

}  // namespace tensorop
