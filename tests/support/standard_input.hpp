// Standard input of the test program itself.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "support/catch.hpp"

namespace tensorop {

// Puts the file at `path`, read from `offset` on, in the place of standard input for its lifetime.
class StandardInputScope {
 public:
  explicit StandardInputScope(const std::string& path, off_t offset = 0) : before_(::dup(STDIN_FILENO)) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(::lseek(fd, offset, SEEK_SET) == offset);
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
