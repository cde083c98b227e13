#include "base/files/output_folder.hpp"

#include <fcntl.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/files/file_io.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

constexpr mode_t kFolderMode = 0777;  // less the umask

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Whether the last component is "." or "..", or missing: then no folder can be renamed to the path.
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
  if (is_relative_folder(destination_))
    throw Error(cat(printable(name_), ": cannot write: a new folder needs a name"));
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
  constexpr mode_t kOwner = 0700;  // mode while this process fills the folder
  const std::string outer = directory_of(destination_);
  temporary_ = TemporaryEntry::make(outer, TemporaryEntry::Kind::folder, [&](const char* path) {
    return os().mkdir(path, mode_ ? *mode_ | kOwner : kFolderMode);
  });
  if (temporary_) {
    fd_ = FileDescriptor(os().open(temporary_->path(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
    if (fd_.is_open()) return;
  }
  refuse_entry(name_, outer);
}

std::string OutputFolder::path_of(const std::string& name) const {
  return path_from(temporary_->path(), name);
}

std::string OutputFolder::shown_path_of(const std::string& name) const {
  return path_from(without_slashes(name_), name);
}

void OutputFolder::make_folder(const std::string& name) const {
  if (os().mkdir(path_of(name).c_str(), kFolderMode) != 0)
    throw_errno(name_, cat("cannot create the directory ", name));
}

void OutputFolder::write_file(const std::string& name, std::string_view bytes) const {
  constexpr mode_t kFileMode = 0666;
  FileDescriptor file(os().open(path_of(name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (!file.is_open() || !write_all(file.get(), text_bytes(bytes), std::nullopt) || !file.close())
    throw_errno(shown_path_of(name), "cannot write");
}

void OutputFolder::finish() {
  if (std::exchange(is_finished_, true)) return;
  if (mode_ && os().fchmod(fd_.get(), *mode_) != 0) throw_errno(name_, "cannot set its mode");
  if (durable_ && !sync(fd_.get())) throw_errno(name_, "cannot write to the disk");
}

void OutputFolder::commit() {
  finish();
  if (!temporary_->rename_to(destination_)) throw_errno(name_, "cannot rename the folder to its destination");
  if (durable_ && !sync_folder(directory_of(destination_)))
    throw_errno(name_, "the folder is written, but the one that it is in cannot be synchronized");
}

}  // namespace tensorop
