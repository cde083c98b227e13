// Locks files that results replace: one writer at a time.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/files/file_io.hpp"

namespace tensorop {

// Locks the file that a result replaces, or notes that it is absent, before reading it, until the result is
// published. For results that keep a part of the file.
//
// While a writer holds the file, or the name of a file that does not exist yet, other writers of any process
// of this machine wait. The lock ends with this object, and with the process. Where no lock can keep two
// writers apart (a file system without locks, two machines that create one file, a program that takes no
// lock), the later one fails with an Error.
class ReplacedFile {
 public:
  enum class Busy : std::uint8_t {
    wait,   // until the other writer releases the file
    refuse  // Error: for a caller that holds another file already, to avoid a deadlock
  };
  // Locks the file that `path` leads to now. Null if it is a stream. Throws Error naming the path.
  [[nodiscard]] static std::shared_ptr<const ReplacedFile> lock_file(const std::string& path, Busy busy);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool exists() const { return exists_; }
  // Throws Error if the path leads to another file now, or the file has changed.
  void require_current() const;
  // Throws the Error for a file that did not exist and was created meanwhile.
  [[noreturn]] void refuse_created() const;

 private:
  ReplacedFile() = default;
  // False if the path no longer leads to the locked file.
  bool lock(Busy busy);
  // False if there are no such locks.
  bool lock_name(Busy busy);
  // Locks by lock(operation of flock()). False if it cannot be locked.
  template <class Lock>
  bool wait_for_lock(Busy busy, const Lock& lock) const;

  std::string path_;
  FileDescriptor fd_;  // has the lock; not open if there is none
  bool exists_ = false;
  struct stat held_ {};
};

}  // namespace tensorop
