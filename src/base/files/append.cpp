#include "base/files/append.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "base/files/file_io.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"

namespace tensorop {
namespace {

FileDescriptor open_at_end(const std::string& path, struct stat& info) {
  FileDescriptor file(os().open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC, 0));
  if (!file.is_open() || os().fstat(file.get(), &info) != 0) throw_errno(path, "cannot append");
  return file;
}

}  // namespace

std::int64_t appendable_bytes(const std::string& path) {
  if (path.empty() || !file_exists(path)) return 0;
  struct stat info {};
  (void)open_at_end(path, info);
  return info.st_size;
}

void append_to_file(const std::string& path, std::span<const std::byte> bytes) {
  struct stat info {};
  FileDescriptor file = open_at_end(path, info);
  if (!write_all(file.get(), bytes, std::nullopt)) {
    const int failure = errno;
    if (S_ISREG(info.st_mode)) (void)os().ftruncate(file.get(), info.st_size);
    errno = failure;
    throw_errno(path, "cannot append");
  }
  if (!file.close()) throw_errno(path, "cannot append");
}

}  // namespace tensorop
