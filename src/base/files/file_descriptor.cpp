#include "base/files/file_descriptor.hpp"

#include <unistd.h>

#include <utility>

#include "base/system.hpp"

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
  // Standard streams belong to the process, not to us.
  if (fd_ <= STDERR_FILENO) return true;
  return os().close(std::exchange(fd_, -1)) == 0;
}

}  // namespace tensorop
