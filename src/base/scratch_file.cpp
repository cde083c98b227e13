#include "base/scratch_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/paths.hpp"
#include "base/pending_names.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr mode_t kPrivateMode = 0600;

// All temporary files of a folder have this name, for the moment of their creation: what kill -9 leaves then
// is removed by the next one.
constexpr const char* kName = ".tensorop-scratch.tmp";

// A file that has a name only within a window in which no signal ends the process. Not open, with errno,
// where the name is taken, or no file can be made. Another process may remove the name first.
FileDescriptor open_nameless(const std::string& path) {
  FileDescriptor fd;
  int reason = 0;
  {
    NamingWindow window;
    fd = FileDescriptor(os().open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kPrivateMode));
    if (!fd.is_open() || (os().unlink(path.c_str()) != 0 && errno != ENOENT)) reason = errno;
  }
  errno = reason;
  if (fd.is_open() && reason != 0) throw_errno(path, "cannot remove");
  return fd;
}

}  // namespace

ScratchFile::ScratchFile(const std::string& folder, std::int64_t bytes) : folder_(folder), bytes_(bytes) {
  open_file();
  const auto free = free_space(fd_.get());
  if (free && bytes > *free) {
    throw Error(cat(printable(folder), ": ", bytes, " bytes of temporary space are needed, ", *free,
                    " are free on that file system"));
  }
  if (bytes != 0 && !claim_space(fd_.get(), bytes)) {
    throw_errno(folder, cat("cannot reserve ", bytes, " bytes of temporary space"));
  }
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      bytes_(other.bytes_),
      fd_(std::move(other.fd_)),
      mapping_(std::exchange(other.mapping_, {})),
      guard_(std::move(other.guard_)) {}

ScratchFile::~ScratchFile() {
  guard_.reset();
  if (!mapping_.empty()) os().munmap(const_cast<std::byte*>(mapping_.data()), mapping_.size());
}

void ScratchFile::open_file() {
  constexpr int kMostNames = 100;
  fd_ = FileDescriptor(os().open(folder_.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, kPrivateMode));
  std::string path = path_from(folder_, kName);
  for (int attempt = 0; !fd_.is_open() && attempt < kMostNames; ++attempt) {
    fd_ = open_nameless(path);
    if (fd_.is_open() || errno != EEXIST) break;
    // A file that was left, or one whose process is about to remove its name. Where it is another user's, any
    // other name will do.
    if (os().unlink(path.c_str()) != 0 && errno != ENOENT)
      path = path_from(folder_, cat(".tensorop-", random_name(), ".tmp"));
    errno = EEXIST;
  }
  if (!fd_.is_open()) throw_errno(folder_, "cannot make a temporary file");
}

void ScratchFile::write_at(std::int64_t offset, std::span<const std::byte> data) const {
  if (!write_all(fd_.get(), data, offset)) fail("cannot write a temporary file");
}

void ScratchFile::read_at(std::int64_t offset, std::span<std::byte> buffer) const {
  if (!read_all_at(fd_.get(), buffer, offset)) fail("cannot read a temporary file");
}

void ScratchFile::fail(const char* what) const {
  // Nobody else can have shortened the file.
  if (errno == 0) errno = EIO;
  throw_errno(folder_, what);
}

std::shared_ptr<const MappedFile> ScratchFile::into_mapped() && {
  struct Input {
    Input(ScratchFile&& scratch, const std::string& path, const struct stat& info)
        : file(std::move(scratch)), mapped(file.fd_, path, info) {}
    ScratchFile file;
    MappedFile mapped;
  };
  struct stat info {};
  if (os().fstat(fd_.get(), &info) != 0) throw_errno(folder_, "cannot map a temporary file");
  // As long as it is open, that is a name of it.
  const std::string path = cat("/proc/self/fd/", fd_.get());
  const auto input = with_context(
      printable(folder_), [&] { return std::make_shared<const Input>(std::move(*this), path, info); });
  return {input, &input->mapped};
}

std::span<const std::byte> ScratchFile::map() {
  if (!mapping_.empty() || bytes_ == 0) return mapping_;
  void* address = os().mmap(to_size(bytes_), PROT_READ, MAP_SHARED, fd_.get());
  if (address == MAP_FAILED) throw_errno(folder_, "cannot map a temporary file");
  mapping_ = {static_cast<const std::byte*>(address), to_size(bytes_)};
  guard_ =
      std::make_unique<MappingGuard>(mapping_, cat(printable(folder_), ": cannot read a temporary file"));
  return mapping_;
}

}  // namespace tensorop
