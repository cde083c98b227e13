// The seam to the operating system: tensorop reads and writes all files through these calls, so that a test
// can make any of them fail. The calls do what the POSIX functions of the same names do, with errno; nothing
// is retried or translated here.
#pragma once

#include <spawn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tensorop {

class System {
 public:
  System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  virtual ~System() = default;

  virtual int open(const char* path, int flags, mode_t mode);
  virtual int close(int fd);
  virtual ssize_t read(int fd, void* buffer, size_t bytes);
  virtual ssize_t write(int fd, const void* buffer, size_t bytes);
  // preadv2() of one byte with RWF_NOWAIT: 1 where that byte is in memory, else -1 with EAGAIN.
  virtual ssize_t pread_resident(int fd, off_t offset);
  virtual ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t offset);
  virtual ssize_t copy_file_range(int from, off_t* from_offset, int to, off_t* to_offset, size_t bytes);
  virtual int fstat(int fd, struct stat* out);
  virtual int stat(const char* path, struct stat* out);
  virtual int lstat(const char* path, struct stat* out);
  virtual int access(const char* path, int mode);
  virtual bool isatty(int fd);
  virtual ssize_t readlink(const char* path, char* buffer, size_t bytes);
  virtual int fstatvfs(int fd, struct statvfs* out);
  virtual int fallocate(int fd, off_t bytes);
  virtual int ftruncate(int fd, off_t bytes);
  virtual int fchmod(int fd, mode_t mode);
  virtual int fchown(int fd, uid_t owner, gid_t group);
  virtual void* mmap(size_t bytes, int protection, int flags, int fd);
  virtual int munmap(void* address, size_t bytes);
  virtual int madvise(void* address, size_t bytes, int advice);
  virtual int mincore(void* address, size_t bytes, unsigned char* out);
  // Gives the open, unnamed file `fd` the name `path`; fails with EEXIST where that name is taken.
  virtual int link_fd(int fd, const char* path);
  virtual int fsync(int fd);
  // A second descriptor of the same open file.
  virtual int dup(int fd);
  virtual int rename(const char* from, const char* to);
  virtual int unlink(const char* path);
  // The names in a folder, in any order, without "." and "..". 0, or -1 with errno.
  virtual int scandir(const char* path, std::vector<std::string>& names);
  virtual int mkdir(const char* path, mode_t mode);
  // Both ends are closed in every program that is started.
  virtual int pipe(int ends[2]);
  // posix_spawnp() with the environment of this process: 0, or the error's number.
  virtual int spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
                    const posix_spawnattr_t* attributes, char* const* words);
  virtual int pidfd_open(pid_t child);
  // Bytes of memory that this process can still get from the machine, its container and its limits; nothing
  // when that is unknown.
  virtual std::optional<std::int64_t> free_memory();
};

// The system in use. Must not be replaced while another thread uses it.
[[nodiscard]] System& os();

// Replaces the real system for the lifetime of this object. For tests, and for a program whose environment
// differs.
class ScopedSystem {
 public:
  explicit ScopedSystem(System& replacement);
  ~ScopedSystem();
  ScopedSystem(const ScopedSystem&) = delete;
  ScopedSystem& operator=(const ScopedSystem&) = delete;

 private:
  System* previous_;
};

// Throws Error "PATH: WHAT: REASON", the reason being errno in words.
[[noreturn]] void throw_errno(const std::string& path, const std::string& what);

}  // namespace tensorop
