#include "base/output_folder.hpp"

#include <fcntl.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/paths.hpp"
#include "base/system.hpp"
#include "base/temporary_names.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr mode_t kFolderMode = 0777;  // less the umask

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Whether the path has no name of its own that a folder could be renamed to.
bool is_relative_folder(const std::string& path) {
  const std::string last = path.substr(path.rfind('/') + 1);
  return last.empty() || last == "." || last == "..";
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path, bool durable) : name_(path), durable_(durable) {
  require_free();
  make_temporary();
}

// Sets destination_ and mode_.
void OutputFolder::require_free() {
  destination_ = resolve_links(without_slashes(name_));
  if (is_relative_folder(destination_)) {
    throw Error(cat(printable(name_), ": cannot write: a new folder needs a name"));
  }
  struct stat info {};
  if (os().lstat(destination_.c_str(), &info) != 0) {
    if (errno != ENOENT) throw_errno(name_, "cannot write");
    return;
  }
  if (!S_ISDIR(info.st_mode)) throw Error(cat(printable(name_), ": cannot write: is not a folder"));
  std::vector<std::string> names;
  if (os().scandir(destination_.c_str(), names) != 0) throw_errno(name_, "cannot list");
  if (!names.empty()) throw Error(cat(printable(name_), ": cannot write: the folder is not empty"));
  mode_ = info.st_mode & 07777;
}

void OutputFolder::make_temporary() {
  for (int attempt = 0; attempt < kMostTemporaryNames; ++attempt) {
    if (make_named(attempt)) return;
    if (errno != EEXIST) break;
  }
  const int reason = errno;
  const std::string outer = directory_of(destination_);
  if (reason == ENOENT && !file_exists(outer)) {
    throw Error(cat(printable(name_), ": cannot write: folder ", printable(outer), " does not exist"));
  }
  errno = reason;
  throw_errno(name_, "cannot write");
}

// False with errno; EEXIST when another name may do.
bool OutputFolder::make_named(int attempt) {
  auto name = std::make_unique<PendingName>(temporary_name(destination_, attempt), PendingName::Kind::folder);
  int reason = 0;
  {
    NamingWindow window;
    reason = os().mkdir(name->path(), kFolderMode) == 0 ? 0 : errno;
    if (reason == 0) window.add(*name);
  }
  if (reason != 0) {
    if (reason == EEXIST) remove_leftover(*name);
    errno = reason;
    return false;
  }
  temporary_ = std::move(name);
  fd_ = FileDescriptor(os().open(temporary_->path(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  if (!fd_.is_open()) {
    reason = errno;
    remove_temporary();
    errno = reason;
    return false;
  }
  // Before it was locked it could be taken for a leftover.
  struct stat info {};
  const bool is_taken = os().flock(fd_.get()) != 0 && errno == EWOULDBLOCK;
  if (!is_taken && (os().fstat(fd_.get(), &info) != 0 || info.st_nlink != 0)) return true;
  fd_ = FileDescriptor();
  forget_temporary();
  errno = EEXIST;
  return false;
}

OutputFolder::~OutputFolder() {
  remove_temporary();
}

void OutputFolder::remove_temporary() {
  if (!temporary_) return;
  remove_tree(temporary_->path());
  forget_temporary();
}

void OutputFolder::forget_temporary() {
  {
    NamingWindow window;
    window.remove(*temporary_);
  }
  temporary_.reset();
}

std::string OutputFolder::path_of(const std::string& name) const {
  return path_from(temporary_->path(), name);
}

std::string OutputFolder::shown_path_of(const std::string& name) const {
  return path_from(without_slashes(name_), name);
}

void OutputFolder::make_folder(const std::string& name) const {
  if (os().mkdir(path_of(name).c_str(), kFolderMode) != 0)
    throw_errno(name_, cat("cannot make the folder ", name));
}

void OutputFolder::commit() {
  if (durable_ && !sync(fd_.get())) throw_errno(name_, "cannot write to the disk");
  if (mode_ && os().fchmod(fd_.get(), *mode_) != 0) throw_errno(name_, "cannot set its mode");
  int reason = 0;
  {
    NamingWindow window;
    reason = os().rename(temporary_->path(), destination_.c_str()) == 0 ? 0 : errno;
    if (reason == 0) window.remove(*temporary_);
  }
  errno = reason;
  if (reason != 0) throw_errno(name_, "cannot rename the folder to its destination");
  temporary_.reset();
  if (durable_ && !sync_folder(directory_of(destination_)))
    throw_errno(name_, "the folder is written, but the one that it is in cannot be synchronized");
}

}  // namespace tensorop
