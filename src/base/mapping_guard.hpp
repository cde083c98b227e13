// What happens when a mapped file shrinks while it is read: an access past its new end would end the process
// by SIGBUS, without a message. With a guard the process ends with a line that names the file and exit status
// 2; temporary files are removed, nothing is published.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tensorop {

// Guards one mapping for the lifetime of this object. Not movable: the signal handler keeps its address.
class MappingGuard {
 public:
  // `line` is the message: "PATH: WHAT HAPPENED".
  MappingGuard(std::span<const std::byte> bytes, const std::string& line);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  // Messages of ended processes go to this descriptor instead of standard error. To be called before the
  // first mapping is made.
  static void report_to(int fd);

  struct Slot;

 private:
  std::string line_;
  Slot* slot_;
};

}  // namespace tensorop
