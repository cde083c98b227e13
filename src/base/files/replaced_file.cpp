#include "base/files/replaced_file.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdint>

#include "base/files/paths.hpp"
#include "base/hash.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// A place in a file of 2^62 bytes for each path, by the folder's identity and the file's name.
off_t place_of(const std::string& path) {
  return static_cast<off_t>(hash_of(PathKeys().key_of(path)) >> 2U);
}

}  // namespace

std::shared_ptr<const ReplacedFile> ReplacedFile::lock_file(const std::string& path, Busy busy) {
  if (path == "-" || named_descriptor(resolve_links(path))) return nullptr;
  std::shared_ptr<ReplacedFile> file(new ReplacedFile);
  file->path_ = path;
  while (true) {
    if (os().stat(path.c_str(), &file->held_) != 0) {
      if (errno != ENOENT) throw_errno(path, "cannot write");
      file->exists_ = false;
      if (file->fd_.is_open() || !file->lock_name(busy)) return file;
      continue;  // The previous holder of the lock may have created the file.
    }
    if (!S_ISREG(file->held_.st_mode)) return nullptr;
    file->exists_ = true;
    if (file->lock(busy)) return file;
    file->fd_ = FileDescriptor();
  }
}

// A file that does not exist cannot be locked, and locking its folder would stop the writers of other files.
// Every user may lock a byte of /dev/null.
bool ReplacedFile::lock_name(Busy busy) {
  fd_ = FileDescriptor(os().open("/dev/null", O_RDWR | O_CLOEXEC, 0));
  const off_t place = place_of(path_);
  const bool is_locked = fd_.is_open() && wait_for_lock(busy, [&](int operation) {
                           return os().flock_byte(fd_.get(), place, operation);
                         });
  if (!is_locked) fd_ = FileDescriptor();
  return is_locked;
}

template <class Lock>
bool ReplacedFile::wait_for_lock(Busy busy, const Lock& lock) const {
  while (lock(busy == Busy::wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return false;
    throw Error(cat(printable(path_), ": cannot write: another process is writing it"), "",
                "the command can be repeated when that process has ended");
  }
  return true;
}

bool ReplacedFile::lock(Busy busy) {
  // A network file system needs a file open for writing for an exclusive lock. A user without write
  // permission gets the error when the result is begun.
  fd_ = FileDescriptor(os().open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC, 0));
  if (!fd_.is_open()) return errno != ENOENT;
  if (!wait_for_lock(busy, [&](int operation) { return os().flock(fd_.get(), operation); })) {
    fd_ = FileDescriptor();
    return true;
  }
  // The previous holder of the lock may have replaced the file.
  struct stat now {};
  if (os().fstat(fd_.get(), &held_) != 0) throw_errno(path_, "cannot write");
  if (os().stat(path_.c_str(), &now) != 0) {
    if (errno != ENOENT) throw_errno(path_, "cannot write");
    return false;
  }
  return has_same_inode(now, held_);
}

void ReplacedFile::require_current() const {
  struct stat now {};
  const bool is_there = os().stat(path_.c_str(), &now) == 0;
  if (!is_there && errno != ENOENT) throw_errno(path_, "cannot write");
  if (!exists_ && is_there) refuse_created();
  if (!exists_ || (is_there && has_same_inode(now, held_) && has_same_content(now, held_))) return;
  throw Error(cat(printable(path_), ": was replaced or changed by another process: it is left as it is"));
}

void ReplacedFile::refuse_created() const {
  throw Error(cat(printable(path_), ": was created by another process: it is left as it is"), "",
              "the command can be repeated: it adds to the archive then");
}

}  // namespace tensorop
