#include "base/files/input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {

constexpr const char* kStandardInput = "standard input";

namespace {

// Whether the byte of the file is in memory; nothing where the file system does not say.
std::optional<bool> is_resident(int fd, std::int64_t offset) {
  while (true) {
    const ssize_t got = os().pread_resident(fd, offset);
    if (got >= 0) return got == 1;
    if (errno == EAGAIN) return false;
    if (errno != EINTR) return std::nullopt;
  }
}

}  // namespace

MappedFile::MappedFile(const FileDescriptor& fd, const std::string& path, const struct stat& opened)
    : path_(path),
      is_standard_input_(fd.get() == STDIN_FILENO),
      opened_(opened),
      mapping_(fd.get(), opened.st_size, Mapping::Access::read, path, "cannot map",
               "became shorter while it was read") {}

bool MappedFile::is_same_file(const MappedFile& other) const {
  return has_same_inode(opened_, other.opened_);
}

bool MappedFile::has_content_of(const MappedFile& other) const {
  return is_same_file(other) && has_same_content(opened_, other.opened_);
}

void MappedFile::require_unchanged() const {
  struct stat now {};
  const bool there =
      is_standard_input_ ? os().fstat(STDIN_FILENO, &now) == 0 : os().stat(path_.c_str(), &now) == 0;
  if (there && has_same_inode(now, opened_) && !has_same_content(now, opened_))
    throw Error(cat(printable(path_), ": changed while it was read"));
}

bool MappedFile::is_current() const {
  struct stat now {};
  return os().stat(path_.c_str(), &now) == 0 && has_same_inode(now, opened_) &&
         has_same_content(now, opened_);
}

// mincore() first, which tells a reader who may not write the file that all of it is in memory. Every reader
// may ask with preadv2(), but what is missing then begins to be read: whoever asks of the same place later
// finds it there, so that each asks of other places. The file is opened for it once more: to keep a
// descriptor of each input would limit their number.
std::optional<double> MappedFile::resident_share(const std::byte* begin, std::int64_t bytes) const {
  constexpr std::int64_t kPlaces = 64;
  const std::int64_t places = std::min(bytes, kPlaces);
  if (places <= 0) return std::nullopt;
  const std::int64_t first =
      begin - mapping_.bytes().data() + to_int64(random_bits() % to_size(bytes / places));
  // Counts the places of which `ask` says that they are there; nothing where it does not know of one.
  const auto count = [&](const auto& ask) -> std::optional<double> {
    std::int64_t resident = 0;
    for (std::int64_t place = 0; place < places; ++place) {
      const std::optional<bool> answer = ask(first + part_bound(bytes, place, places));
      if (!answer) return std::nullopt;
      resident += *answer ? 1 : 0;
    }
    return static_cast<double>(resident) / static_cast<double>(places);
  };
  if (opened_.st_uid == ::geteuid() || os().access(path_.c_str(), W_OK) == 0) {
    const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    const auto share = count([&](std::int64_t offset) -> std::optional<bool> {
      unsigned char state = 0;
      auto* const address = const_cast<std::byte*>(mapping_.bytes().data()) + offset / page * page;
      if (os().mincore(address, 1, &state) != 0) return std::nullopt;
      return (state & 1U) != 0;
    });
    if (share) return share;
  }
  const FileDescriptor fd = reopen();
  if (!fd.is_open()) return std::nullopt;
  return count([&](std::int64_t offset) { return is_resident(fd.get(), offset); });
}

FileDescriptor MappedFile::reopen() const {
  if (is_standard_input_) return FileDescriptor(STDIN_FILENO);
  FileDescriptor fd(os().open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0));
  struct stat now {};
  const bool is_same = fd.is_open() && os().fstat(fd.get(), &now) == 0 && has_same_inode(now, opened_);
  return is_same ? std::move(fd) : FileDescriptor();
}

void Inputs::add(std::shared_ptr<const MappedFile> file) {
  if (file != nullptr) files_.push_back(std::move(file));
}

void Inputs::require_unchanged() const {
  for (const auto& file : files_) file->require_unchanged();
}

const MappedFile* Inputs::find(const std::byte* data) const {
  for (const auto& file : files_) {
    const auto bytes = file->bytes();
    // Of pointers into different objects only std::less knows an order.
    if (!std::less<>()(data, bytes.data()) && std::less<>()(data, bytes.data() + bytes.size())) {
      return file.get();
    }
  }
  return nullptr;
}

InputFile InputFile::open(const std::string& path) {
  auto file = open_existing(path);
  if (!file) throw_errno(path, "cannot open");
  return std::move(*file);
}

std::optional<InputFile> InputFile::open_existing(const std::string& path) {
  FileDescriptor fd(os().open(path.c_str(), O_RDONLY | O_CLOEXEC, 0));
  if (!fd.is_open()) {
    const int reason = errno;
    const bool exists = reason != ENOENT && file_exists(path);
    errno = reason;
    if (exists) throw_errno(path, "cannot open");
    return std::nullopt;
  }
  InputFile file(path, std::move(fd));
  file.map_if_regular();
  return file;
}

InputFile InputFile::standard_input() {
  if (os().isatty(STDIN_FILENO)) {
    throw Error(cat(kStandardInput, " is a terminal"), "",
                "- reads a pipe or a redirected file: ... | tensorop ... -");
  }
  InputFile file(kStandardInput, FileDescriptor(STDIN_FILENO));
  // A redirected file is mapped only when nothing has been read from it yet.
  if (::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) file.map_if_regular();
  return file;
}

bool InputFile::is_standard_input() const {
  return fd_.get() == STDIN_FILENO;
}

void InputFile::map_if_regular() {
  struct stat info {};
  if (os().fstat(fd_.get(), &info) != 0) throw_errno(name_, "cannot read");
  if (S_ISDIR(info.st_mode)) throw Error(cat(printable(name_), ": is a directory"));
  // Files of /proc and the like are regular with size 0 and still hold something: they are read as streams.
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    mapping_ = std::make_shared<MappedFile>(fd_, name_, info);
  }
}

std::size_t InputFile::read(std::span<std::byte> buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const std::size_t got = read_some(buffer.subspan(done));
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::size_t InputFile::read_some(std::span<std::byte> buffer) {
  if (ahead_.empty()) return read_descriptor(buffer);
  const std::size_t size = std::min(buffer.size(), ahead_.size());
  std::copy_n(ahead_.begin(), size, buffer.begin());
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(size));
  return size;
}

std::span<const std::byte> InputFile::peek(std::size_t size) {
  std::size_t before = 0;
  do {
    before = ahead_.size();
    peek_some(size);
  } while (ahead_.size() > before);
  return ahead_;
}

std::span<const std::byte> InputFile::peek_some(std::size_t size) {
  const std::size_t before = ahead_.size();
  if (size > before) {
    std::vector<std::byte> more(size - before);
    more.resize(read_descriptor(more));
    ahead_.insert(ahead_.end(), more.begin(), more.end());
  }
  return ahead_;
}

std::size_t InputFile::read_descriptor(std::span<std::byte> buffer) {
  while (true) {
    const ssize_t got = os().read(fd_.get(), buffer.data(), buffer.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw_errno(name_, "cannot read");
  }
}

}  // namespace tensorop
