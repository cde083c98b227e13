#include "fuzz/memory_system.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>

namespace tensorop::fuzz {
namespace {

using Lock = std::lock_guard<std::mutex>;

int fail(int reason) {
  errno = reason;
  return -1;
}

std::string plain(std::string path) {
  while (path.starts_with("./")) path.erase(0, 2);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

void MemorySystem::put(const std::string& path, std::string bytes) {
  files[path] = std::make_shared<std::string>(std::move(bytes));
}

bool MemorySystem::is_folder(const std::string& path) const {
  if (path == "." || path == "/") return true;
  const auto inside = files.lower_bound(path + "/");
  return inside != files.end() && inside->first.starts_with(path + "/");
}

void MemorySystem::describe(const Bytes& bytes, struct stat* out) const {
  *out = {};
  out->st_dev = 1;
  out->st_ino = reinterpret_cast<std::uintptr_t>(bytes.get());
  out->st_mode = (streams ? S_IFIFO : S_IFREG) | 0644U;
  out->st_nlink = 1;
  out->st_uid = ::geteuid();
  out->st_gid = ::getegid();
  out->st_size = streams ? 0 : static_cast<off_t>(bytes->size());
}

int MemorySystem::describe(const std::string& path, struct stat* out) const {
  if (path.empty()) return fail(ENOENT);
  const std::string name = plain(path);
  if (const auto found = files.find(name); found != files.end()) {
    if (path.ends_with('/')) return fail(ENOTDIR);
    describe(found->second, out);
    return 0;
  }
  if (!is_folder(name)) return fail(ENOENT);
  *out = {};
  out->st_mode = S_IFDIR | 0755U;
  return 0;
}

MemorySystem::Opened* MemorySystem::opened(int fd) {
  const auto found = opened_.find(fd);
  errno = EBADF;
  return found == opened_.end() ? nullptr : &found->second;
}

int MemorySystem::add(Opened file) {
  opened_.emplace(next_fd_, std::move(file));
  return next_fd_++;
}

int MemorySystem::open(const char* path, int flags, mode_t /*mode*/) {
  const Lock lock(mutex_);
  if ((flags & O_TMPFILE) == O_TMPFILE) return fail(EOPNOTSUPP);
  const std::string name = plain(path);
  const auto found = files.find(name);
  if ((flags & O_CREAT) != 0) {
    if (found != files.end()) return fail(EEXIST);
    return add({files[name] = std::make_shared<std::string>()});
  }
  if (found != files.end()) return add({found->second});
  return is_folder(name) ? add({std::make_shared<std::string>()}) : fail(ENOENT);
}

int MemorySystem::close(int fd) {
  const Lock lock(mutex_);
  return opened_.erase(fd) == 1 ? 0 : fail(EBADF);
}

ssize_t MemorySystem::read(int fd, void* buffer, size_t bytes) {
  const Lock lock(mutex_);
  const bool is_input = fd == STDIN_FILENO;
  Opened* file = is_input ? nullptr : opened(fd);
  if (!is_input && file == nullptr) return -1;
  const std::string& all = is_input ? input : *file->bytes;
  std::size_t& next = is_input ? input_next_ : file->next;
  // Short reads are to be expected of streams.
  const std::size_t count = std::min({bytes, all.size() - std::min(next, all.size()), std::size_t{1000}});
  if (count != 0) std::memcpy(buffer, all.data() + next, count);
  next += count;
  return static_cast<ssize_t>(count);
}

ssize_t MemorySystem::put_at(std::string& bytes, std::size_t at, const void* buffer, std::size_t count) {
  if (at > kMostBytes || count > kMostBytes - at) {
    full = true;
    return fail(ENOSPC);
  }
  bytes.resize(std::max(bytes.size(), at + count));
  if (count != 0) std::memcpy(bytes.data() + at, buffer, count);
  return static_cast<ssize_t>(count);
}

ssize_t MemorySystem::write(int fd, const void* buffer, size_t bytes) {
  const Lock lock(mutex_);
  if (fd == STDOUT_FILENO) return put_at(output, output.size(), buffer, bytes);
  Opened* file = opened(fd);
  if (file == nullptr) return -1;
  const ssize_t done = put_at(*file->bytes, file->next, buffer, bytes);
  if (done > 0) file->next += static_cast<std::size_t>(done);
  return done;
}

ssize_t MemorySystem::pwrite(int fd, const void* buffer, size_t bytes, off_t offset) {
  const Lock lock(mutex_);
  Opened* file = opened(fd);
  return file == nullptr ? -1 : put_at(*file->bytes, static_cast<std::size_t>(offset), buffer, bytes);
}

// Its files are not those of the system: what is kept is written from the mapping.
ssize_t MemorySystem::copy_file_range(int /*from*/, off_t* /*from_offset*/, int /*to*/, off_t* /*to_offset*/,
                                      size_t /*bytes*/) {
  return fail(EXDEV);
}

int MemorySystem::fstat(int fd, struct stat* out) {
  const Lock lock(mutex_);
  if (fd <= STDERR_FILENO) {
    *out = {};
    out->st_mode = S_IFIFO | 0600U;
    return 0;
  }
  Opened* file = opened(fd);
  if (file == nullptr) return -1;
  describe(file->bytes, out);
  return 0;
}

int MemorySystem::stat(const char* path, struct stat* out) {
  const Lock lock(mutex_);
  return describe(path, out);
}

int MemorySystem::lstat(const char* path, struct stat* out) {
  return stat(path, out);
}

int MemorySystem::access(const char* path, int /*mode*/) {
  struct stat ignored {};
  return stat(path, &ignored);
}

ssize_t MemorySystem::readlink(const char* path, char* /*buffer*/, size_t /*bytes*/) {
  return fail(access(path, F_OK) == 0 ? EINVAL : ENOENT);
}

int MemorySystem::fstatvfs(int /*fd*/, struct statvfs* out) {
  *out = {};
  out->f_bavail = kMostBytes;
  out->f_frsize = 1;
  return 0;
}

int MemorySystem::fallocate(int fd, off_t bytes) {
  return ftruncate(fd, bytes);
}

int MemorySystem::ftruncate(int fd, off_t bytes) {
  const Lock lock(mutex_);
  Opened* file = opened(fd);
  if (file == nullptr) return -1;
  if (static_cast<std::size_t>(bytes) > kMostBytes) {
    full = true;
    return fail(ENOSPC);
  }
  file->bytes->resize(static_cast<std::size_t>(bytes));
  return 0;
}

int MemorySystem::fchmod(int /*fd*/, mode_t /*mode*/) {
  return 0;
}

int MemorySystem::fchown(int /*fd*/, uid_t /*owner*/, gid_t /*group*/) {
  return 0;
}

// A copy, exactly as long as it must be, so that a step beyond its end is seen.
void* MemorySystem::mmap(size_t bytes, int protection, int /*flags*/, int fd) {
  constexpr std::size_t kPage = 4096;
  const Lock lock(mutex_);
  Opened* file = opened(fd);
  if (file == nullptr || file->bytes->size() < bytes) return MAP_FAILED;
  void* address = nullptr;
  if (::posix_memalign(&address, kPage, bytes) != 0) return MAP_FAILED;
  std::memcpy(address, file->bytes->data(), bytes);
  mapped_[address] = {(protection & PROT_WRITE) != 0 ? file->bytes : nullptr, bytes};
  return address;
}

int MemorySystem::munmap(void* address, size_t /*bytes*/) {
  const Lock lock(mutex_);
  const auto found = mapped_.find(address);
  if (found == mapped_.end()) return fail(EINVAL);
  if (found->second.bytes) std::memcpy(found->second.bytes->data(), address, found->second.size);
  std::free(address);
  mapped_.erase(found);
  return 0;
}

int MemorySystem::link_fd(int /*fd*/, const char* /*path*/) {
  return fail(EOPNOTSUPP);
}

int MemorySystem::fsync(int /*fd*/) {
  return 0;
}

int MemorySystem::dup(int fd) {
  const Lock lock(mutex_);
  Opened* file = opened(fd);
  return file == nullptr ? -1 : add(*file);
}

int MemorySystem::rename(const char* from, const char* to) {
  const Lock lock(mutex_);
  const auto found = files.find(plain(from));
  if (found == files.end()) return fail(ENOENT);
  const Bytes bytes = found->second;
  files.erase(found);
  files[plain(to)] = bytes;
  return 0;
}

int MemorySystem::unlink(const char* path) {
  const Lock lock(mutex_);
  return files.erase(plain(path)) == 1 ? 0 : fail(ENOENT);
}

int MemorySystem::mkdir(const char* /*path*/, mode_t /*mode*/) {
  return fail(EROFS);
}

int MemorySystem::spawn(pid_t* /*child*/, const char* /*program*/,
                        const posix_spawn_file_actions_t* /*actions*/,
                        const posix_spawnattr_t* /*attributes*/, char* const* /*words*/) {
  return ENOSYS;
}

int MemorySystem::scandir(const char* path, std::vector<std::string>& names) {
  const Lock lock(mutex_);
  const std::string folder = plain(path);
  if (!is_folder(folder)) return fail(ENOENT);
  const std::string front = folder == "." ? "" : folder == "/" ? "/" : folder + "/";
  std::set<std::string> found;
  for (const auto& [name, bytes] : files) {
    if (!name.starts_with(front) || (front.empty() && name.starts_with('/'))) continue;
    const std::string rest = name.substr(front.size());
    if (!rest.empty()) found.insert(rest.substr(0, rest.find('/')));
  }
  names.assign(found.begin(), found.end());
  return 0;
}

}  // namespace tensorop::fuzz
