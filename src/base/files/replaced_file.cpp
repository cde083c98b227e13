#include "base/files/replaced_file.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {

std::shared_ptr<const ReplacedFile> ReplacedFile::hold(const std::string& path, Busy busy) {
  if (path == "-" || named_descriptor(resolve_links(path))) return nullptr;
  while (true) {
    std::shared_ptr<ReplacedFile> file(new ReplacedFile);
    file->path_ = path;
    if (os().stat(path.c_str(), &file->held_) != 0) {
      if (errno != ENOENT) throw_errno(path, "cannot write");
      return file;
    }
    if (!S_ISREG(file->held_.st_mode)) return nullptr;
    file->exists_ = true;
    if (file->lock(busy)) return file;
  }
}

bool ReplacedFile::lock(Busy busy) {
  // A network file system needs a file open for writing for an exclusive lock. A user without write
  // permission gets the error when the result is begun.
  fd_ = FileDescriptor(os().open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC, 0));
  if (!fd_.is_open()) return errno != ENOENT;
  while (os().flock(fd_.get(), busy == Busy::wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK)
      throw Error(cat(printable(path_), ": cannot write: another process is writing it"), "",
                  "the command can be repeated when that process has ended");
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
