#include "base/files/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/files/file_io.hpp"
#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/files/replaced_file.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// Only a file to be mapped must be readable.
int access_of(OutputFile::Writers writers) {
  return writers == OutputFile::Writers::machines ? O_WRONLY : O_RDWR;
}

// Keeps only group bits of `mode` that others have too.
mode_t with_group_of_others(mode_t mode) {
  const mode_t others = (mode & S_IRWXO) << 3U;
  return mode & (~mode_t{S_IRWXG} | others);
}

// Reads a value of unknown size: `read`, called with size 0, returns the number of bytes. Null with errno.
template <class Read>
std::optional<std::string> read_sized(const Read& read) {
  ssize_t bytes = read(nullptr, 0);
  if (bytes <= 0) return bytes == 0 ? std::optional(std::string()) : std::nullopt;
  std::string value(static_cast<std::size_t>(bytes), '\0');
  bytes = read(value.data(), value.size());
  if (bytes < 0) return std::nullopt;
  value.resize(static_cast<std::size_t>(bytes));
  return value;
}

constexpr const char* kAccessList = "system.posix_acl_access";

// Throws Error if the file system of an open file or folder has less than `bytes` free.
void require_free(int fd, const std::string& name, std::int64_t bytes) {
  const auto free = free_space(fd);
  if (!free || bytes <= *free) return;
  throw Error(cat(printable(name), ": the result needs at least ", bytes, " bytes, ", *free,
                  " are free on that file system"));
}

}  // namespace

void require_destination(const std::string& path, std::int64_t bytes) {
  const std::string destination = resolve_links(path);
  struct stat info {};
  const bool exists = os().stat(path.c_str(), &info) == 0;
  if (!exists && (errno != ENOENT || path.empty())) throw_errno(path, "cannot write");
  if (exists && S_ISDIR(info.st_mode)) throw directory_error(path);
  if (path == "-" || named_descriptor(destination) || (exists && !S_ISREG(info.st_mode))) return;
  if (exists && os().access(path.c_str(), W_OK) != 0) throw_errno(path, "cannot write");
  const std::string folder = directory_of(destination);
  if (os().access(folder.c_str(), W_OK | X_OK) != 0) refuse_entry(path, folder);
  const FileDescriptor fd(os().open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (fd.is_open()) require_free(fd.get(), path, bytes);
}

Error directory_error(const std::string& path) {
  return Error(cat(printable(path), ": cannot write: is a directory"), "",
               cat("name a file in it: ", printable(path), path.ends_with('/') ? "" : "/", "out.npy"));
}

OutputFile OutputFile::create(const std::string& path, bool durable, const std::string& shown,
                              Writers writers, std::shared_ptr<const ReplacedFile> replaced) {
  constexpr mode_t kNewMode = 0666;  // less the umask
  constexpr mode_t kPrivateMode = 0600;
  if (path == "-") return standard_output();
  OutputFile file;
  file.name_ = shown.empty() ? path : shown;
  file.durable_ = durable;
  file.replaced_ = std::move(replaced);
  file.destination_ = resolve_links(path, file.name_);
  if (const auto descriptor = named_descriptor(file.destination_)) {
    // Duplicates the descriptor. Opening its name would write from offset 0, and may not be permitted.
    file.fd_ = FileDescriptor(os().dup(*descriptor));
    if (!file.fd_.is_open()) throw_errno(file.name_, "cannot write");
    file.is_stream_ = true;
    return file;
  }
  struct stat info {};
  if (os().stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT || path.empty()) throw_errno(file.name_, "cannot write");
    file.open_temporary(writers, kNewMode);
    return file;
  }
  if (S_ISDIR(info.st_mode)) throw directory_error(file.name_);
  if (!S_ISREG(info.st_mode)) {
    file.fd_ = FileDescriptor(os().open(path.c_str(), O_WRONLY | O_CLOEXEC, 0));
    if (!file.fd_.is_open()) throw_errno(file.name_, "cannot write");
    file.is_stream_ = true;
    return file;
  }
  // For a removed file, /proc/N/fd/M is a link to a text that is not a path of the file.
  if (file.destination_ != path && os().stat(file.destination_.c_str(), &info) != 0) {
    if (errno != ENOENT) throw_errno(file.name_, "cannot write");
    throw Error(cat(printable(file.name_), ": cannot write: is a link to a file without a name"));
  }
  if (os().access(path.c_str(), W_OK) != 0) throw_errno(file.name_, "cannot write");
  file.open_temporary(writers, kPrivateMode);
  file.take_owner_and_mode(info);
  return file;
}

void OutputFile::take_owner_and_mode(const struct stat& old) {
  // Sets the owner before the mode: changing the owner clears the set-user-id bits. A failure is not an
  // error: if only the group can be kept, it is kept.
  constexpr auto kSameOwner = static_cast<uid_t>(-1);
  const bool is_owned = old.st_uid == ::geteuid() && old.st_gid == ::getegid();
  mode_t mode = old.st_mode & 07777;
  if (!is_owned && os().fchown(fd_.get(), old.st_uid, old.st_gid) != 0 &&
      os().fchown(fd_.get(), kSameOwner, old.st_gid) != 0) {
    // Another group gets no more than others have.
    mode = with_group_of_others(mode);
  }
  // Attributes are copied first: the access control list may deny the permission to set them.
  take_attributes();
  mode = take_access_list(mode);
  if (os().fchmod(fd_.get(), mode) != 0) throw_errno(name_, "cannot set its mode");
}

mode_t OutputFile::take_access_list(mode_t mode) {
  const auto list = attribute(kAccessList);
  if (!list) {
    const bool has_lists = errno == ENODATA;
    if (!has_lists && errno != ENOTSUP && errno != ENOSYS && errno != ENOENT)
      throw_errno(name_, "cannot read its access list");
    // The folder may have given the new file a default access control list.
    if (has_lists && os().fremovexattr(fd_.get(), kAccessList) != 0 && errno != ENODATA && errno != ENOTSUP)
      throw_errno(name_, "cannot set its access list");
    return mode;
  }
  if (os().fsetxattr(fd_.get(), kAccessList, list->data(), list->size()) == 0) return mode;
  // With an access control list, the group bits of the mode are its mask: the maximum for any listed user.
  return with_group_of_others(mode);
}

// Skips attributes that this user may not copy or that the file system does not support. Any other failure is
// an error, because an attribute would be lost silently.
void OutputFile::take_attributes() {
  const auto require = [this](bool succeeds) {
    constexpr int kLeftOut[] = {ENOTSUP, ENOSYS, ENOENT, ENODATA, EACCES, EPERM};
    if (!succeeds && std::ranges::find(kLeftOut, errno) == std::end(kLeftOut))
      throw_errno(name_, "cannot keep its attributes");
    return succeeds;
  };
  const auto names = read_sized(
      [&](char* data, std::size_t size) { return os().listxattr(destination_.c_str(), data, size); });
  if (!require(names.has_value())) return;
  for (const std::string& name : split(*names, std::string_view("\0", 1))) {
    if (!name.starts_with("user.")) continue;
    const auto value = attribute(name.c_str());
    if (require(value.has_value()))
      (void)require(os().fsetxattr(fd_.get(), name.c_str(), value->data(), value->size()) == 0);
  }
}

std::optional<std::string> OutputFile::attribute(const char* name) const {
  return read_sized(
      [&](char* data, std::size_t size) { return os().getxattr(destination_.c_str(), name, data, size); });
}

OutputFile OutputFile::join(const Shared& shared, const std::string& path, bool durable, Writers writers) {
  OutputFile file;
  file.name_ = path;
  file.durable_ = durable;
  // Opening the folder makes a network file system look up new names.
  const FileDescriptor folder(
      os().open(directory_of(shared.path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  const int flags = access_of(writers) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  file.fd_ = FileDescriptor(os().open(shared.path.c_str(), flags, 0));
  if (!file.fd_.is_open()) throw_errno(path, "cannot write what another process has begun");
  struct stat info {};
  if (os().fstat(file.fd_.get(), &info) != 0) throw_errno(path, "cannot write");
  if (!S_ISREG(info.st_mode) || info.st_ino != shared.number || info.st_size != shared.bytes)
    throw Error(cat(printable(path), ": cannot write: its folder is not the same one for all processes"), "",
                "results must go to a file system that all machines share");
  return file;
}

OutputFile OutputFile::standard_output() {
  OutputFile file;
  file.name_ = "standard output";
  file.fd_ = FileDescriptor(STDOUT_FILENO);
  file.is_stream_ = true;
  return file;
}

void OutputFile::open_temporary(Writers writers, mode_t mode) {
  const std::string directory = directory_of(destination_);
  if (writers == Writers::this_process) {
    fd_ = FileDescriptor(os().open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    // link_fd() needs /proc: without it the file must have a name from the start.
    if (fd_.is_open() && os().access("/proc/self/fd", F_OK) == 0) return;
  }
  temporary_ = TemporaryEntry::make(directory, TemporaryEntry::Kind::file, [&](const char* path) {
    fd_ = FileDescriptor(os().open(path, access_of(writers) | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    return fd_.is_open() ? 0 : -1;
  });
  if (!temporary_) refuse_entry(name_, directory);
}

void OutputFile::require_space(std::int64_t bytes) const {
  require_free(fd_.get(), name_, bytes);
}

void OutputFile::reserve(std::int64_t bytes, std::int64_t shared) {
  require_space(bytes - shared);
  if (bytes != 0 && !claim_space(fd_.get(), bytes)) {
    throw_errno(name_, cat("cannot reserve ", bytes, " bytes"));
  }
}

void OutputFile::write(std::span<const std::byte> bytes, std::optional<std::int64_t> offset) const {
  if (write_all(fd_.get(), bytes, offset)) return;
  if (errno == 0) throw Error(cat(printable(name_), ": cannot write: write() accepted no bytes"));
  throw_errno(name_, "cannot write");
}

void OutputFile::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  write(bytes, offset);
}

void OutputFile::append(std::span<const std::byte> bytes) {
  write(bytes, is_stream_ ? std::nullopt : std::optional(appended_));
  appended_ += to_int64(bytes.size());
}

OutputFile::Part OutputFile::share(std::int64_t offset, const MappedFile& from, std::int64_t first,
                                   std::int64_t bytes) const {
  const std::int64_t begin = -first & (kBlock - 1);
  const std::int64_t whole = (bytes - begin) / kBlock * kBlock;
  if ((offset - first) % kBlock != 0 || whole < kLeastShared) return {};
  const FileDescriptor source = from.reopen();
  const bool is_shared = source.is_open() && os().clone_range(source.get(), first + begin, fd_.get(),
                                                              offset + begin, to_size(whole)) == 0;
  return is_shared ? Part{begin, whole} : Part{};
}

void OutputFile::copy_at(std::int64_t offset, const MappedFile& from, std::int64_t first,
                         std::int64_t bytes) const {
  std::int64_t done = 0;
  constexpr std::int64_t kFew = 1 << 16;  // bytes that are written sooner than a file is opened
  if (const FileDescriptor source = bytes <= kFew ? FileDescriptor() : from.reopen(); source.is_open())
    done = copy_between(source.get(), first, fd_.get(), offset, bytes);
  // Writes the bytes that the system did not copy, for example between two file systems.
  write(from.bytes().subspan(to_size(first + done), to_size(bytes - done)), offset + done);
}

void OutputFile::append(const MappedFile& from, std::int64_t first, std::int64_t bytes) {
  if (is_stream_) return append(from.bytes().subspan(to_size(first), to_size(bytes)));
  const Part shared = share(appended_, from, first, bytes);
  const std::int64_t done = shared.first + shared.bytes;
  copy_at(appended_, from, first, shared.first);
  copy_at(appended_ + done, from, first + done, bytes - done);
  appended_ += bytes;
}

std::span<std::byte> OutputFile::map(std::int64_t bytes) {
  mapping_ = Mapping(fd_.get(), bytes, Mapping::Access::write, name_, "cannot map",
                     "cannot write: the file system is full or failed");
  return mapping_.writable_bytes();
}

OutputFile::Shared OutputFile::shared() const {
  struct stat info {};
  if (os().fstat(fd_.get(), &info) != 0) throw_errno(name_, "cannot write");
  return {temporary_ ? temporary_->path() : "", info.st_ino, info.st_size};
}

void OutputFile::leave() {
  finish();
  // Some file systems write and report failures only at close().
  if (!fd_.close()) throw_errno(name_, "cannot write");
}

void OutputFile::finish() {
  if (is_stream_ || std::exchange(is_finished_, true)) return;
  mapping_ = Mapping();
  if (durable_) sync_file();
  // Some file systems report a failed write only at close(). A file without a name is on a local file system,
  // which reports it at once, and must stay open to be named.
  if (temporary_ && !fd_.close()) throw_errno(name_, "cannot write");
}

void OutputFile::commit() {
  if (is_stream_) {
    if (durable_) sync_file();
    // Some file systems report a failed write only at close(). Standard streams stay open for others: a
    // duplicate descriptor is closed here.
    FileDescriptor last = fd_.get() > STDERR_FILENO ? std::move(fd_) : FileDescriptor(os().dup(fd_.get()));
    if (!last.close()) throw_errno(name_, "cannot write");
    return;
  }
  finish();
  publish();
  if (durable_) sync_name();
}

void OutputFile::publish() {
  if (replaced_) replaced_->require_current();
  const bool is_new = replaced_ && !replaced_->exists();
  std::optional<SignalBlock> block;
  if (!temporary_) {
    // A free name is linked directly. A name in use can only be replaced by rename().
    const auto link = [&](const char* path) { return os().link_fd(fd_.get(), path); };
    if (link(destination_.c_str()) == 0) return;
    if (errno == EEXIST) {
      if (is_new) replaced_->refuse_created();
      block.emplace();
      temporary_ = TemporaryEntry::make(directory_of(destination_), TemporaryEntry::Kind::file, link);
    }
    if (!temporary_) throw_errno(name_, "cannot link the result to its destination");
  }
  if (is_new ? temporary_->rename_to_new(destination_) : temporary_->rename_to(destination_)) return;
  const int reason = errno;
  temporary_.reset();
  errno = reason;
  if (is_new && errno == EEXIST) replaced_->refuse_created();
  if (errno == EBUSY)
    throw Error(cat(printable(name_), ": cannot replace the file: it is mounted there"), "",
                cat("cat RESULT > ", printable(name_), " writes another file's bytes into it"));
  throw_errno(name_, "cannot rename the result to its destination");
}

void OutputFile::sync_file() const {
  // A pipe or a terminal cannot be synced: fsync() fails with EINVAL.
  if (!sync(fd_.get()) && !(is_stream_ && errno == EINVAL)) throw_errno(name_, "cannot write to the disk");
}

void OutputFile::sync_name() const {
  if (!sync_folder(directory_of(destination_)))
    throw_errno(name_, "the result is written, but its folder cannot be synchronized");
}

void print(std::string_view text) {
  OutputFile out = OutputFile::standard_output();
  out.append(std::as_bytes(std::span(text)));
  out.commit();
}

}  // namespace tensorop
