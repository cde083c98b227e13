// Systems that fail as they are told, one call at a time.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/system/system.hpp"

namespace tensorop {

// A file system without unnamed files, where what is written has a temporary name; or the one that is here.
class NamedOnlySystem : public System {
 public:
  explicit NamedOnlySystem(bool named_only = true) : named_only_(named_only) {}
  int open(const char* path, int flags, mode_t mode) override {
    if (named_only_ && (flags & O_TMPFILE) == O_TMPFILE) {
      errno = EOPNOTSUPP;
      return -1;
    }
    return System::open(path, flags, mode);
  }

 private:
  bool named_only_;
};

enum class SystemFault : std::uint8_t {
  error,    // -1 and errno
  partial,  // half of the bytes are read or written
};

// Lets one call fail: the `number`-th of all calls.
class FaultySystem : public NamedOnlySystem {
 public:
  FaultySystem(bool named, int number, SystemFault fault, int code)
      : NamedOnlySystem(named), number_(number), fault_(fault), code_(code) {}
  // The call that failed; empty if there were fewer calls.
  [[nodiscard]] const std::string& failed_call() const { return failed_call_; }
  [[nodiscard]] int closes() const { return closes_; }

  int open(const char* path, int flags, mode_t mode) override {
    return is_failing("open") ? -1 : NamedOnlySystem::open(path, flags, mode);
  }
  int close(int fd) override {
    ++closes_;
    const bool fails = is_failing("close");
    const int reason = errno;
    const int status = System::close(fd);  // whatever it says, the descriptor is gone
    if (fails) errno = reason;
    return fails ? -1 : status;
  }
  ssize_t read(int fd, void* buffer, size_t bytes) override {
    if (is_failing("read"))
      return fault_ == SystemFault::partial ? System::read(fd, buffer, (bytes + 1) / 2) : -1;
    return System::read(fd, buffer, bytes);
  }
  ssize_t write(int fd, const void* buffer, size_t bytes) override {
    if (is_failing("write"))
      return fault_ == SystemFault::partial ? System::write(fd, buffer, bytes / 2) : -1;
    return System::write(fd, buffer, bytes);
  }
  ssize_t pread_resident(int fd, off_t offset) override {
    return is_failing("pread_resident") ? -1 : System::pread_resident(fd, offset);
  }
  ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t offset) override {
    if (is_failing("pwrite"))
      return fault_ == SystemFault::partial ? System::pwrite(fd, buffer, bytes / 2, offset) : -1;
    return System::pwrite(fd, buffer, bytes, offset);
  }
  ssize_t copy_file_range(int from, off_t* from_offset, int to, off_t* to_offset, size_t bytes) override {
    if (is_failing("copy_file_range"))
      return fault_ == SystemFault::partial
                 ? System::copy_file_range(from, from_offset, to, to_offset, (bytes + 1) / 2)
                 : -1;
    return System::copy_file_range(from, from_offset, to, to_offset, bytes);
  }
  int fstat(int fd, struct stat* out) override { return is_failing("fstat") ? -1 : System::fstat(fd, out); }
  int stat(const char* path, struct stat* out) override {
    return is_failing("stat") ? -1 : System::stat(path, out);
  }
  int lstat(const char* path, struct stat* out) override {
    return is_failing("lstat") ? -1 : System::lstat(path, out);
  }
  int access(const char* path, int mode) override {
    return is_failing("access") ? -1 : System::access(path, mode);
  }
  ssize_t readlink(const char* path, char* buffer, size_t bytes) override {
    return is_failing("readlink") ? -1 : System::readlink(path, buffer, bytes);
  }
  int fstatvfs(int fd, struct statvfs* out) override {
    return is_failing("fstatvfs") ? -1 : System::fstatvfs(fd, out);
  }
  int fallocate(int fd, off_t bytes) override {
    return is_failing("fallocate") ? -1 : System::fallocate(fd, bytes);
  }
  int ftruncate(int fd, off_t bytes) override {
    return is_failing("ftruncate") ? -1 : System::ftruncate(fd, bytes);
  }
  int clone_range(int from, off_t from_offset, int to, off_t to_offset, size_t bytes) override {
    return is_failing("clone_range") ? -1 : System::clone_range(from, from_offset, to, to_offset, bytes);
  }
  int fchmod(int fd, mode_t mode) override { return is_failing("fchmod") ? -1 : System::fchmod(fd, mode); }
  int fchown(int fd, uid_t owner, gid_t group) override {
    return is_failing("fchown") ? -1 : System::fchown(fd, owner, group);
  }
  ssize_t listxattr(const char* path, char* names, size_t bytes) override {
    return is_failing("listxattr") ? -1 : System::listxattr(path, names, bytes);
  }
  ssize_t getxattr(const char* path, const char* name, void* value, size_t bytes) override {
    return is_failing("getxattr") ? -1 : System::getxattr(path, name, value, bytes);
  }
  int fsetxattr(int fd, const char* name, const void* value, size_t bytes) override {
    return is_failing("fsetxattr") ? -1 : System::fsetxattr(fd, name, value, bytes);
  }
  int fremovexattr(int fd, const char* name) override {
    return is_failing("fremovexattr") ? -1 : System::fremovexattr(fd, name);
  }
  void* mmap(size_t bytes, int protection, int flags, int fd) override {
    return is_failing("mmap") ? MAP_FAILED : System::mmap(bytes, protection, flags, fd);
  }
  int munmap(void* address, size_t bytes) override {
    const bool fails = is_failing("munmap");
    const int status = System::munmap(address, bytes);
    return fails ? -1 : status;
  }
  int madvise(void* address, size_t bytes, int advice) override {
    return is_failing("madvise") ? -1 : System::madvise(address, bytes, advice);
  }
  int mincore(void* address, size_t bytes, unsigned char* out) override {
    return is_failing("mincore") ? -1 : System::mincore(address, bytes, out);
  }
  // fsync succeeds without an effect: no test pulls the plug.
  int fsync(int /*fd*/) override { return is_failing("fsync") ? -1 : 0; }
  int dup(int fd) override { return is_failing("dup") ? -1 : System::dup(fd); }
  int link_fd(int fd, const char* path) override {
    return is_failing("link_fd") ? -1 : System::link_fd(fd, path);
  }
  int mkdir(const char* path, mode_t mode) override {
    return is_failing("mkdir") ? -1 : System::mkdir(path, mode);
  }
  int rename(const char* from, const char* to) override {
    return is_failing("rename") ? -1 : System::rename(from, to);
  }
  int rename_new(const char* from, const char* to) override {
    return is_failing("rename_new") ? -1 : System::rename_new(from, to);
  }
  int flock(int fd, int operation) override {
    return is_failing("flock") ? -1 : System::flock(fd, operation);
  }
  int flock_byte(int fd, off_t byte, int operation) override {
    return is_failing("flock_byte") ? -1 : System::flock_byte(fd, byte, operation);
  }
  int unlink(const char* path) override {
    const bool fails = is_failing("unlink");
    const int status = System::unlink(path);
    return fails ? -1 : status;
  }
  int scandir(const char* path, std::vector<std::string>& names) override {
    return is_failing("scandir") ? -1 : System::scandir(path, names);
  }

 protected:
  // Asked at every call, by its name.
  virtual bool is_failing(const char* call) {
    if (++calls_ != number_) return false;
    failed_call_ = call;
    errno = code_;
    return true;
  }

 private:
  int number_;
  SystemFault fault_;
  int code_;
  int calls_ = 0;
  int closes_ = 0;
  std::string failed_call_;
};

}  // namespace tensorop
