#include "base/files/file_io.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/checked.hpp"
#include "base/system/system.hpp"

namespace tensorop {

FileDescriptor::~FileDescriptor() {
  close();
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

bool FileDescriptor::close() {
  // Standard streams are never closed: they belong to the process.
  if (fd_ <= STDERR_FILENO) return true;
  return os().close(std::exchange(fd_, -1)) == 0;
}

bool has_same_inode(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool has_same_content(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

std::optional<std::int64_t> free_space(int fd) {
  struct statvfs space {};
  if (os().fstatvfs(fd, &space) != 0) return std::nullopt;
  return checked_mul(static_cast<std::int64_t>(space.f_bavail), static_cast<std::int64_t>(space.f_frsize));
}

namespace {

// Repeats a call that a signal interrupts.
template <class Call>
int retried(const Call& call) {
  int status = 0;
  do {
    status = call();
  } while (status != 0 && errno == EINTR);
  return status;
}

}  // namespace

bool claim_space(int fd, std::int64_t bytes) {
  if (retried([&] { return os().fallocate(fd, bytes); }) == 0) return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  return os().ftruncate(fd, bytes) == 0;
}

bool may_retry(int fd, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  pollfd waiting{fd, events, 0};
  return os().poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

bool write_all(int fd, std::span<const std::byte> bytes, std::optional<std::int64_t> offset) {
  while (!bytes.empty()) {
    const ssize_t done = offset ? os().pwrite(fd, bytes.data(), bytes.size(), *offset)
                                : os().write(fd, bytes.data(), bytes.size());
    if (done < 0 && may_retry(fd, POLLOUT)) continue;
    if (done == 0) errno = 0;
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    if (offset) *offset += done;
  }
  return true;
}

std::int64_t copy_between(int from, std::int64_t first, int to, std::int64_t offset, std::int64_t bytes) {
  constexpr std::int64_t kMost = 1 << 30;  // bytes per call: a call cannot be interrupted
  off_t source = first;
  off_t target = offset;
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t copied =
        os().copy_file_range(from, &source, to, &target, to_size(std::min(bytes - done, kMost)));
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) break;
    done += copied;
  }
  return done;
}

bool sync(int fd) {
  return retried([&] { return os().fsync(fd); }) == 0;
}

bool sync_folder(const std::string& path) {
  const FileDescriptor folder(os().open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  return folder.is_open() && sync(folder.get());
}

}  // namespace tensorop
