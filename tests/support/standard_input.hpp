// Standard input of the test program itself.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace tensorop {

// The reading end of a pipe that holds `bytes`, at most a mebibyte, and then ends.
[[nodiscard]] inline int pipe_with(std::string_view bytes) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  REQUIRE(::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= static_cast<int>(bytes.size()));
  REQUIRE(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  return ends[0];
}

[[nodiscard]] inline int open_at(const std::string& path, off_t offset) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  REQUIRE(::lseek(fd, offset, SEEK_SET) == offset);
  return fd;
}

// Puts a descriptor, which it closes, or the file at `path`, read from `offset` on, in the place of standard
// input for its lifetime.
class StandardInputScope {
 public:
  explicit StandardInputScope(const std::string& path, off_t offset = 0)
      : StandardInputScope(open_at(path, offset)) {}
  explicit StandardInputScope(int fd) : before_(::dup(STDIN_FILENO)) {
    ::dup2(fd, STDIN_FILENO);
    ::close(fd);
  }
  ~StandardInputScope() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }
  StandardInputScope(const StandardInputScope&) = delete;
  StandardInputScope& operator=(const StandardInputScope&) = delete;

 private:
  int before_;
};

}  // namespace tensorop
