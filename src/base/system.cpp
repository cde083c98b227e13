#include "base/system.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {

int System::open(const char* path, int flags, mode_t mode) {
  return ::open(path, flags, mode);
}
int System::close(int fd) {
  return ::close(fd);
}
ssize_t System::read(int fd, void* buffer, size_t bytes) {
  return ::read(fd, buffer, bytes);
}
ssize_t System::write(int fd, const void* buffer, size_t bytes) {
  return ::write(fd, buffer, bytes);
}
ssize_t System::pread_resident(int fd, off_t offset) {
  char byte = 0;
  const iovec buffer = {&byte, 1};
  return ::preadv2(fd, &buffer, 1, offset, RWF_NOWAIT);
}
ssize_t System::pwrite(int fd, const void* buffer, size_t bytes, off_t offset) {
  return ::pwrite(fd, buffer, bytes, offset);
}
ssize_t System::copy_file_range(int from, off_t* from_offset, int to, off_t* to_offset, size_t bytes) {
  return ::copy_file_range(from, from_offset, to, to_offset, bytes, 0);
}

int System::fstat(int fd, struct stat* out) {
  return ::fstat(fd, out);
}
int System::stat(const char* path, struct stat* out) {
  return ::stat(path, out);
}
int System::lstat(const char* path, struct stat* out) {
  return ::lstat(path, out);
}
int System::access(const char* path, int mode) {
  return ::access(path, mode);
}
bool System::isatty(int fd) {
  return ::isatty(fd) == 1;
}

ssize_t System::readlink(const char* path, char* buffer, size_t bytes) {
  return ::readlink(path, buffer, bytes);
}
int System::fstatvfs(int fd, struct statvfs* out) {
  return ::fstatvfs(fd, out);
}
int System::fallocate(int fd, off_t bytes) {
  return ::fallocate(fd, 0, 0, bytes);
}
int System::ftruncate(int fd, off_t bytes) {
  return ::ftruncate(fd, bytes);
}
int System::fchmod(int fd, mode_t mode) {
  return ::fchmod(fd, mode);
}
int System::fchown(int fd, uid_t owner, gid_t group) {
  return ::fchown(fd, owner, group);
}
void* System::mmap(size_t bytes, int protection, int flags, int fd) {
  return ::mmap(nullptr, bytes, protection, flags, fd, 0);
}
int System::munmap(void* address, size_t bytes) {
  return ::munmap(address, bytes);
}
int System::madvise(void* address, size_t bytes, int advice) {
  return ::madvise(address, bytes, advice);
}
int System::mincore(void* address, size_t bytes, unsigned char* out) {
  return ::mincore(address, bytes, out);
}
int System::link_fd(int fd, const char* path) {
  char name[32];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  return ::linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}
int System::fsync(int fd) {
  return ::fsync(fd);
}
int System::dup(int fd) {
  return ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}
int System::rename(const char* from, const char* to) {
  return ::rename(from, to);
}
int System::unlink(const char* path) {
  return ::unlink(path);
}
int System::scandir(const char* path, std::vector<std::string>& names) {
  const auto close = [](DIR* folder) { ::closedir(folder); };
  std::unique_ptr<DIR, decltype(close)> folder(::opendir(path));
  if (!folder) return -1;
  errno = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  const int reason = errno;
  folder.reset();
  errno = reason;
  return reason == 0 ? 0 : -1;
}
int System::mkdir(const char* path, mode_t mode) {
  return ::mkdir(path, mode);
}
int System::pipe(int ends[2]) {
  return ::pipe2(ends, O_CLOEXEC);
}
int System::spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
                  const posix_spawnattr_t* attributes, char* const* words) {
  return ::posix_spawnp(child, program, actions, attributes, words, environ);
}
int System::pidfd_open(pid_t child) {
  return static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
}

namespace {
System*& current_system() {
  static System real;
  static System* current = &real;
  return current;
}
}  // namespace

System& os() {
  return *current_system();
}

ScopedSystem::ScopedSystem(System& replacement) : previous_(current_system()) {
  current_system() = &replacement;
}
ScopedSystem::~ScopedSystem() {
  current_system() = previous_;
}

void throw_errno(const std::string& path, const std::string& what) {
  const int code = errno;
  throw Error(cat(printable(path), ": ", what, ": ", std::strerror(code)));
}

}  // namespace tensorop
