// The seam to the operating system: tensorop reads and writes all files through these calls, so that a test
// can make any of them fail. The calls do what the POSIX functions of the same names do, with errno; nothing
// is retried or translated here.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
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

  virtual int open(const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); }
  virtual int close(int fd) { return ::close(fd); }
  virtual ssize_t read(int fd, void* buffer, size_t bytes) { return ::read(fd, buffer, bytes); }
  virtual ssize_t write(int fd, const void* buffer, size_t bytes) { return ::write(fd, buffer, bytes); }
  virtual int poll(pollfd* files, nfds_t count, int milliseconds) {
    return ::poll(files, count, milliseconds);
  }
  // preadv2() of one byte with RWF_NOWAIT: 1 if that byte is in memory, else -1 with EAGAIN.
  virtual ssize_t pread_resident(int fd, off_t offset) {
    char byte = 0;
    const iovec buffer = {&byte, 1};
    return ::preadv2(fd, &buffer, 1, offset, RWF_NOWAIT);
  }
  virtual ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t offset) {
    return ::pwrite(fd, buffer, bytes, offset);
  }
  virtual ssize_t copy_file_range(int from, off_t* from_offset, int to, off_t* to_offset, size_t bytes) {
    return ::copy_file_range(from, from_offset, to, to_offset, bytes, 0);
  }
  // FICLONERANGE: shares whole blocks of one file with another one.
  virtual int clone_range(int from, off_t from_offset, int to, off_t to_offset, size_t bytes);
  virtual int fstat(int fd, struct stat* out) { return ::fstat(fd, out); }
  virtual int stat(const char* path, struct stat* out) { return ::stat(path, out); }
  virtual int lstat(const char* path, struct stat* out) { return ::lstat(path, out); }
  virtual int access(const char* path, int mode) { return ::access(path, mode); }
  virtual bool isatty(int fd) { return ::isatty(fd) == 1; }
  virtual ssize_t readlink(const char* path, char* buffer, size_t bytes) {
    return ::readlink(path, buffer, bytes);
  }
  virtual int fstatvfs(int fd, struct statvfs* out) { return ::fstatvfs(fd, out); }
  virtual int fallocate(int fd, off_t bytes) { return ::fallocate(fd, 0, 0, bytes); }
  virtual int ftruncate(int fd, off_t bytes) { return ::ftruncate(fd, bytes); }
  virtual int fchmod(int fd, mode_t mode) { return ::fchmod(fd, mode); }
  virtual int fchown(int fd, uid_t owner, gid_t group) { return ::fchown(fd, owner, group); }
  virtual ssize_t listxattr(const char* path, char* names, size_t bytes) {
    return ::listxattr(path, names, bytes);
  }
  virtual ssize_t getxattr(const char* path, const char* name, void* value, size_t bytes) {
    return ::getxattr(path, name, value, bytes);
  }
  virtual int fsetxattr(int fd, const char* name, const void* value, size_t bytes) {
    return ::fsetxattr(fd, name, value, bytes, 0);
  }
  virtual int fremovexattr(int fd, const char* name) { return ::fremovexattr(fd, name); }
  virtual void* mmap(size_t bytes, int protection, int flags, int fd) {
    return ::mmap(nullptr, bytes, protection, flags, fd, 0);
  }
  virtual int munmap(void* address, size_t bytes) { return ::munmap(address, bytes); }
  virtual int madvise(void* address, size_t bytes, int advice) { return ::madvise(address, bytes, advice); }
  virtual int mincore(void* address, size_t bytes, unsigned char* out) {
    return ::mincore(address, bytes, out);
  }
  // Gives the open, unnamed file `fd` the name `path`; fails with EEXIST if that name is taken.
  virtual int link_fd(int fd, const char* path) {
    char name[32];
    std::snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return ::linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
  }
  virtual int fsync(int fd) { return ::fsync(fd); }
  // A second descriptor of the same open file.
  virtual int dup(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }
  virtual int rename(const char* from, const char* to) { return ::rename(from, to); }
  // rename() that fails with EEXIST if `to` is taken, with EINVAL if the file system lacks the call.
  virtual int rename_new(const char* from, const char* to) {
    return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
  }
  virtual int flock(int fd, int operation) { return ::flock(fd, operation); }
  // flock() for one byte of an open file, which need not be there: LOCK_EX, LOCK_NB.
  virtual int flock_byte(int fd, off_t byte, int operation) {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_start = byte;
    range.l_len = 1;
    const int status = ::fcntl(fd, (operation & LOCK_NB) != 0 ? F_OFD_SETLK : F_OFD_SETLKW, &range);
    if (status != 0 && errno == EAGAIN) errno = EWOULDBLOCK;
    return status;
  }
  virtual int unlink(const char* path) { return ::unlink(path); }
  // The names in a folder, in any order, without "." and "..". 0, or -1 with errno.
  virtual int scandir(const char* path, std::vector<std::string>& names);
  virtual int mkdir(const char* path, mode_t mode) { return ::mkdir(path, mode); }
  // Both ends are close-on-exec.
  virtual int pipe(int ends[2]) { return ::pipe2(ends, O_CLOEXEC); }
  // posix_spawnp() with the environment of this process: 0, or the error's number.
  virtual int spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
                    const posix_spawnattr_t* attributes, char* const* words) {
    return ::posix_spawnp(child, program, actions, attributes, words, environ);
  }
  virtual int pidfd_open(pid_t child) { return static_cast<int>(::syscall(SYS_pidfd_open, child, 0)); }
  // Bytes of memory that the machine, the container and the limits of this process still grant; nothing if
  // unknown.
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

// 64 random bits from the system. Throws Error if the system has none.
[[nodiscard]] std::uint64_t random_bits();

// Throws Error "PATH: WHAT: REASON", the reason being errno in words.
[[noreturn]] void throw_errno(const std::string& path, const std::string& what);

}  // namespace tensorop
