// A file system in memory, in the place of the real one: what is under test cannot touch a disk.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/system/system.hpp"

namespace tensorop::fuzz {

// Files by their paths, relative ones without "./" in front; folders are there where a file is in them, any
// other folder may be written to all the same. No links, no files without names, and little space. Standard
// input holds `input`; what goes to standard output is kept in `output`. Any thread may call.
class MemorySystem : public System {
 public:
  using Bytes = std::shared_ptr<std::string>;

  std::map<std::string, Bytes> files;
  std::string input;
  std::string output;
  bool streams = false;  // files are FIFOs: read from front to end, never mapped

  // More than this in one file, or in `output`, does not fit.
  static constexpr std::size_t kMostBytes = 1 << 18;
  // Whether something did not fit.
  bool full = false;

  void put(const std::string& path, std::string bytes);

  int open(const char* path, int flags, mode_t mode) override;
  int close(int fd) override;
  ssize_t read(int fd, void* buffer, size_t bytes) override;
  ssize_t write(int fd, const void* buffer, size_t bytes) override;
  ssize_t copy_file_range(int from, off_t* from_offset, int to, off_t* to_offset, size_t bytes) override;
  ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t offset) override;
  int fstat(int fd, struct stat* out) override;
  int stat(const char* path, struct stat* out) override;
  int lstat(const char* path, struct stat* out) override;
  int access(const char* path, int mode) override;
  bool isatty(int /*fd*/) override { return false; }
  ssize_t readlink(const char* path, char* buffer, size_t bytes) override;
  int fstatvfs(int fd, struct statvfs* out) override;
  int fallocate(int fd, off_t bytes) override;
  int ftruncate(int fd, off_t bytes) override;
  int fchmod(int fd, mode_t mode) override;
  int fchown(int fd, uid_t owner, gid_t group) override;
  void* mmap(size_t bytes, int protection, int flags, int fd) override;
  int munmap(void* address, size_t bytes) override;
  int link_fd(int fd, const char* path) override;
  int fsync(int fd) override;
  int dup(int fd) override;
  int rename(const char* from, const char* to) override;
  int unlink(const char* path) override;
  int scandir(const char* path, std::vector<std::string>& names) override;
  // There are no other folders, and no programs.
  int mkdir(const char* path, mode_t mode) override;
  int spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
            const posix_spawnattr_t* attributes, char* const* words) override;

 private:
  struct Opened {
    Bytes bytes;
    std::size_t next = 0;
  };
  struct Mapped {
    Bytes bytes;  // to be written back to; null where it is read-only
    std::size_t size = 0;
  };

  [[nodiscard]] bool is_folder(const std::string& path) const;
  int describe(const std::string& path, struct stat* out) const;
  void describe(const Bytes& bytes, struct stat* out) const;
  Opened* opened(int fd);
  ssize_t put_at(std::string& bytes, std::size_t at, const void* buffer, std::size_t count);
  int add(Opened file);

  std::mutex mutex_;
  std::map<int, Opened> opened_;
  std::map<void*, Mapped> mapped_;
  std::size_t input_next_ = 0;
  int next_fd_ = 1000;
};

}  // namespace tensorop::fuzz
