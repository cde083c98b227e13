#include "base/output_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/paths.hpp"
#include "base/pending_names.hpp"
#include "base/system.hpp"
#include "base/temporary_names.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr mode_t kFileMode = 0666;  // less the umask

// The descriptor of standard output or standard error when `path` is one of their names: they need not, and
// sometimes cannot, be opened a second time.
std::optional<int> standard_descriptor(const std::string& path) {
  if (path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1") return STDOUT_FILENO;
  if (path == "/dev/stderr" || path == "/dev/fd/2" || path == "/proc/self/fd/2") return STDERR_FILENO;
  return std::nullopt;
}

// Only what is mapped must be readable.
int access_of(OutputFile::Writers writers) {
  return writers == OutputFile::Writers::machines ? O_WRONLY : O_RDWR;
}

}  // namespace

OutputFile OutputFile::create(const std::string& path, bool durable, const std::string& shown,
                              Writers writers) {
  OutputFile file;
  file.name_ = shown.empty() ? path : shown;
  file.durable_ = durable;
  struct stat info {};
  if (os().lstat(path.c_str(), &info) != 0) {
    if (errno != ENOENT || path.empty()) throw_errno(file.name_, "cannot write");
    file.destination_ = path;
    file.open_temporary(writers);
    return file;
  }
  const bool exists = os().stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) throw_errno(file.name_, "cannot write");
  if (exists && S_ISDIR(info.st_mode))
    throw Error(cat(printable(file.name_), ": cannot write: is a directory"));
  file.destination_ = resolve_links(path);
  if (const auto standard = standard_descriptor(file.destination_)) {
    file.fd_ = FileDescriptor(*standard);
    file.is_stream_ = true;
    return file;
  }
  if (exists && (!S_ISREG(info.st_mode) || is_descriptor_name(file.destination_))) {
    file.fd_ = FileDescriptor(os().open(path.c_str(), O_WRONLY | O_CLOEXEC, 0));
    if (!file.fd_.is_open()) throw_errno(file.name_, "cannot write");
    file.is_stream_ = true;
    return file;
  }
  if (exists && os().access(path.c_str(), W_OK) != 0) throw_errno(file.name_, "cannot write");
  file.open_temporary(writers);
  if (exists) {
    // The owner first: changing it clears the set-user-id bits of the mode. A failure is not an error; where
    // only the group may be kept, it is.
    constexpr auto kSameOwner = static_cast<uid_t>(-1);
    const bool owned = info.st_uid == ::geteuid() && info.st_gid == ::getegid();
    if (!owned && os().fchown(file.fd_.get(), info.st_uid, info.st_gid) != 0) {
      (void)os().fchown(file.fd_.get(), kSameOwner, info.st_gid);
    }
    if (os().fchmod(file.fd_.get(), info.st_mode & 07777) != 0)
      throw_errno(file.name_, "cannot set its mode");
  }
  return file;
}

OutputFile OutputFile::create_shared(const std::string& path, bool durable, Writers writers) {
  return create(path, durable, {}, writers);
}

OutputFile OutputFile::join(const Shared& shared, const std::string& path, bool durable, Writers writers) {
  OutputFile file;
  file.name_ = path;
  file.durable_ = durable;
  // Opening the folder makes a network file system look for names that are new.
  const FileDescriptor folder(
      os().open(directory_of(shared.path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  const int flags = access_of(writers) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  file.fd_ = FileDescriptor(os().open(shared.path.c_str(), flags, 0));
  if (!file.fd_.is_open()) throw_errno(path, "cannot write what another process has begun");
  struct stat info {};
  if (os().fstat(file.fd_.get(), &info) != 0) throw_errno(path, "cannot write");
  if (!S_ISREG(info.st_mode) || info.st_ino != shared.number || info.st_size != shared.bytes) {
    throw Error(cat(printable(path), ": cannot write: its folder is not the same one for all processes"), "",
                "results must go to a file system that all machines share");
  }
  return file;
}

OutputFile OutputFile::standard_output() {
  OutputFile file;
  file.name_ = "standard output";
  file.fd_ = FileDescriptor(STDOUT_FILENO);
  file.is_stream_ = true;
  return file;
}

void OutputFile::open_temporary(Writers writers) {
  const std::string directory = directory_of(destination_);
  if (writers == Writers::this_process) {
    fd_ = FileDescriptor(os().open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kFileMode));
    // Naming the file later needs /proc: without it the file must have a name now.
    if (fd_.is_open() && os().access("/proc/self/fd", F_OK) == 0) {
      // Processes that wrote this destination together, and were killed, may have left a file with a name.
      remove_leftover(PendingName(temporary_name(destination_, 0)));
      return;
    }
  }
  for (int attempt = 0; attempt < kMostTemporaryNames; ++attempt) {
    if (create_named(attempt, writers)) return;
    if (errno != EEXIST) break;
  }
  const int reason = errno;
  if (reason == ENOENT && !file_exists(directory)) {
    throw Error(cat(printable(name_), ": cannot write: folder ", printable(directory), " does not exist"));
  }
  errno = reason;
  throw_errno(name_, "cannot write");
}

// False with errno; EEXIST when another name may do.
bool OutputFile::create_named(int attempt, Writers writers) {
  auto name = std::make_unique<PendingName>(temporary_name(destination_, attempt));
  {
    NamingWindow window;
    fd_ =
        FileDescriptor(os().open(name->path(), access_of(writers) | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
    if (fd_.is_open()) window.add(*name);
  }
  if (!fd_.is_open()) {
    if (errno != EEXIST) return false;
    remove_leftover(*name);
    errno = EEXIST;
    return false;
  }
  temporary_ = std::move(name);
  // Before it was locked it could be taken for a leftover.
  struct stat info {};
  const bool is_taken = os().flock(fd_.get()) != 0 && errno == EWOULDBLOCK;
  if (!is_taken && (os().fstat(fd_.get(), &info) != 0 || info.st_nlink != 0)) return true;
  remove_temporary();
  errno = EEXIST;
  return false;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : name_(std::move(other.name_)),
      destination_(std::move(other.destination_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::move(other.fd_)),
      is_stream_(other.is_stream_),
      durable_(other.durable_),
      mapping_(std::exchange(other.mapping_, {})),
      guard_(std::move(other.guard_)) {}

OutputFile::~OutputFile() {
  unmap();
  remove_temporary();
}

void OutputFile::remove_temporary() {
  if (!temporary_) return;
  {
    NamingWindow window;
    os().unlink(temporary_->path());
    window.remove(*temporary_);
  }
  temporary_.reset();
}

void OutputFile::require_space(std::int64_t bytes) const {
  const auto free = free_space(fd_.get());
  if (!free || bytes <= *free) return;
  throw Error(cat(printable(name_), ": the result needs at least ", bytes, " bytes, ", *free,
                  " are free on that file system"));
}

void OutputFile::reserve(std::int64_t bytes) {
  require_space(bytes);
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
  write(bytes, std::nullopt);
}

std::span<std::byte> OutputFile::map(std::int64_t bytes) {
  if (bytes == 0) return {};
  void* address = os().mmap(to_size(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get());
  if (address == MAP_FAILED) throw_errno(name_, "cannot map");
  mapping_ = {static_cast<std::byte*>(address), to_size(bytes)};
  guard_ = std::make_unique<MappingGuard>(
      mapping_, cat(printable(name_), ": cannot write: the file system is full or failed"));
  return mapping_;
}

void OutputFile::unmap() {
  guard_.reset();
  if (!mapping_.empty()) os().munmap(mapping_.data(), mapping_.size());
  mapping_ = {};
}

OutputFile::Shared OutputFile::shared() const {
  struct stat info {};
  if (os().fstat(fd_.get(), &info) != 0) throw_errno(name_, "cannot write");
  return {temporary_ ? temporary_->path() : "", info.st_ino, info.st_size};
}

void OutputFile::leave() {
  unmap();
  if (durable_) sync_file();
  // Some file systems write, and report a failure, only at close().
  if (!fd_.close()) throw_errno(name_, "cannot write");
}

void OutputFile::commit() {
  unmap();
  if (durable_) sync_file();
  if (is_stream_) {
    // Some file systems report a failed write only at close(). Standard streams stay open for others: a
    // second descriptor of them is closed.
    FileDescriptor last = fd_.get() > STDERR_FILENO ? std::move(fd_) : FileDescriptor(os().dup(fd_.get()));
    if (!last.close()) throw_errno(name_, "cannot write");
    return;
  }
  publish();
  if (durable_) sync_name();
}

void OutputFile::publish() {
  FileDescriptor lock;
  if (temporary_) {
    // Some file systems report a failed write only at close(); the duplicate keeps the lock meanwhile. A file
    // without a name is on a local file system, which reports it at once, and must stay open to be named.
    lock = FileDescriptor(os().dup(fd_.get()));
    if (!fd_.close()) throw_errno(name_, "cannot write");
  } else {
    // A free name is linked directly. A name in use can only be replaced by rename().
    if (os().link_fd(fd_.get(), destination_.c_str()) == 0) return;
    link_temporary();
  }
  int reason = 0;
  {
    NamingWindow window;
    if (os().rename(temporary_->path(), destination_.c_str()) != 0) {
      reason = errno;
      os().unlink(temporary_->path());
    }
    window.remove(*temporary_);
  }
  temporary_.reset();
  errno = reason;
  if (reason != 0) throw_errno(name_, "cannot rename the result to its destination");
}

// Called after linking to the destination itself has failed, with errno.
void OutputFile::link_temporary() {
  if (errno == EEXIST) {
    // Locked before it has a name. On a file system without locks it stays unlocked.
    os().flock(fd_.get());
    errno = EEXIST;
  }
  for (int attempt = 0; errno == EEXIST && attempt < kMostTemporaryNames; ++attempt) {
    auto name = std::make_unique<PendingName>(temporary_name(destination_, attempt));
    {
      NamingWindow window;
      if (os().link_fd(fd_.get(), name->path()) == 0) {
        window.add(*name);
        temporary_ = std::move(name);
        return;
      }
    }
    if (errno != EEXIST) break;
    remove_leftover(*name);
    errno = EEXIST;
  }
  throw_errno(name_, "cannot link the result to its destination");
}

void OutputFile::sync_file() const {
  // A pipe or a terminal has no disk to go to.
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
