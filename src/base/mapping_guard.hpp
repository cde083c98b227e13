// What happens when a mapped file shrinks under its readers: touching what is no longer there would end the
// process by SIGBUS, without a word. With a guard it ends with a line that names the file and exit status 2;
// temporary files go, nothing is published.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tensorop {

// Guards one mapping for the lifetime of this object. Not to be moved: handlers know it.
class MappingGuard {
 public:
  // `line` is what to say: "PATH: WHAT HAPPENED".
  MappingGuard(std::span<const std::byte> bytes, const std::string& line);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  struct Slot;

 private:
  std::string line_;
  Slot* slot_;
};

}  // namespace tensorop
