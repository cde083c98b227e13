#include "base/files/scratch_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "base/checked.hpp"
#include "base/files/file_io.hpp"
#include "base/files/temporary_entry.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
ScratchFile::ScratchFile(const std::string& folder, std::int64_t bytes) : folder_(folder), bytes_(bytes) {
  open_file();
  const auto free = free_space(fd_.get());
  if (free && bytes > *free)
    throw Error(cat(printable(folder_), ": ", bytes, " bytes of temporary space are needed, ", *free,
                    " are free on that file system"));
  if (bytes != 0 && !claim_space(fd_.get(), bytes)) {
    throw_errno(folder_, cat("cannot reserve ", bytes, " bytes of temporary space"));
  }
}

void ScratchFile::open_file() {
  constexpr mode_t kPrivateMode = 0600;
  fd_ = FileDescriptor(os().open(folder_.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, kPrivateMode));
  if (fd_.is_open()) return;
  const auto entry = TemporaryEntry::make(folder_, TemporaryEntry::Kind::file, [&](const char* path) {
    fd_ = FileDescriptor(os().open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kPrivateMode));
    return fd_.is_open() ? 0 : -1;
  });
  if (!entry || !entry->unlink()) throw_errno(folder_, "cannot create a temporary file");
}

void ScratchFile::write_at(std::int64_t offset, std::span<const std::byte> data) const {
  if (write_all(fd_.get(), data, offset)) return;
  // No other process can have truncated the file.
  if (errno == 0) errno = EIO;
  throw_errno(folder_, "cannot write a temporary file");
}

void ScratchFile::truncate(std::int64_t bytes) {
  if (os().ftruncate(fd_.get(), bytes) != 0) throw_errno(folder_, "cannot shorten a temporary file");
  bytes_ = bytes;
}

std::shared_ptr<const MappedFile> ScratchFile::into_mapped() && {
  struct Input {
    Input(ScratchFile&& scratch, const std::string& path, const struct stat& info)
        : file(std::move(scratch)), mapped(file.fd_, path, info) {}
    ScratchFile file;
    MappedFile mapped;
  };
  struct stat info {};
  mapping_ = {};
  if (os().fstat(fd_.get(), &info) != 0) throw_errno(folder_, "cannot map a temporary file");
  // A path that reaches the file while it is open.
  const std::string path = cat("/proc/self/fd/", fd_.get());
  const auto input = with_context(
      printable(folder_), [&] { return std::make_shared<const Input>(std::move(*this), path, info); });
  return {input, &input->mapped};
}

std::span<const std::byte> ScratchFile::map() {
  if (to_int64(mapping_.bytes().size()) != bytes_) {
    mapping_ = Mapping(fd_.get(), bytes_, Mapping::Access::read, folder_, "cannot map a temporary file",
                       "cannot read a temporary file");
  }
  return mapping_.bytes();
}

}  // namespace tensorop
