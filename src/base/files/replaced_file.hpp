// Files that results replace: one writer at a time.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/files/file_io.hpp"

namespace tensorop {

// The file that a result replaces, or its absence, from before the file is read until the result has its
// name: a result that keeps a part of the file is made of what it replaces.
//
// While a writer holds the file, other writers of any process wait for it. The lock is one of the system
// (flock): it ends with this object, and with the process. On a file system without locks, of a file that is
// not there yet, and beside programs that take no lock, the later of two writers is refused.
class ReplacedFile {
 public:
  enum class Busy : std::uint8_t {
    wait,   // until the other writer has ended
    refuse  // Error: for who holds another file already, and could be waited for by that writer
  };
  // Holds what has the name `path` then. Null where that is a stream. Throws Error naming the path.
  [[nodiscard]] static std::shared_ptr<const ReplacedFile> hold(const std::string& path, Busy busy);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool exists() const { return exists_; }
  // Throws Error where the name is that of another file now, or the file has changed.
  void require_current() const;
  // Throws that Error: the file that was not there has been created.
  [[noreturn]] void refuse_created() const;

 private:
  ReplacedFile() = default;
  // False where the file is no longer the one of that name.
  bool lock(Busy busy);

  std::string path_;
  FileDescriptor fd_;  // not open where there is nothing to lock, or no lock
  bool exists_ = false;
  struct stat held_ {};
};

}  // namespace tensorop
