#include "base/files/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/checked.hpp"
#include "base/files/paths.hpp"
#include "base/files/scratch_file.hpp"
#include "base/system/memory.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

constexpr const char* kStandardInput = "standard input";

namespace {

// Whether this byte of the file is in memory; nothing if the file system does not say.
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
               "became shorter while it was read"),
      bytes_(mapping_.bytes()) {}

bool MappedFile::is_same_file(const MappedFile& other) const {
  return owner_ == nullptr && has_same_inode(opened_, other.opened_);
}

bool MappedFile::has_content_of(const MappedFile& other) const {
  return is_same_file(other) && has_same_content(opened_, other.opened_);
}

void MappedFile::require_unchanged() const {
  if (owner_ != nullptr) return;
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

// Uses mincore() if this user may write the file: for other users mincore() reports every page as resident.
// Otherwise asks preadv2(), which starts reading a missing page, so that a later query of the same place
// finds it resident: each query asks random places. preadv2() needs a descriptor: the file is opened again,
// because one open descriptor for each input would limit the number of inputs.
std::optional<double> MappedFile::resident_share(const std::byte* begin, std::int64_t bytes) const {
  if (owner_ != nullptr) return 1;
  constexpr std::int64_t kPlaces = 64;
  const std::int64_t places = std::min(bytes, kPlaces);
  if (places <= 0) return std::nullopt;
  const std::int64_t first =
      begin - mapping_.bytes().data() + to_int64(random_bits() % to_size(bytes / places));
  // The share of places for which `ask` returns true; nothing if `ask` returns nothing for a place.
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
  if (owner_ != nullptr) return {};
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
    // Only std::less orders pointers into different objects.
    if (!std::less<>()(data, bytes.data()) && std::less<>()(data, bytes.data() + bytes.size()))
      return file.get();
  }
  return nullptr;
}

namespace {

// Reads a stream to its end.
class StreamReader {
 public:
  StreamReader(const FileDescriptor& fd, const std::string& name, const StreamReading& reading)
      : fd_(fd), name_(name), reading_(reading) {}

  std::shared_ptr<const MappedFile> read() {
    fill(StreamReading::kHeadBytes);
    while (!ended_ && have_ < enough_) {
      // The size that the head declares may be false: memory is taken as the bytes come. Growing the buffer
      // moves pages; untouched pages cost nothing.
      constexpr std::int64_t kMostAtOnce = 64 << 20;
      // A long stream is believed, and refused if its size has no place: it might never end.
      constexpr std::int64_t kLong = 8 << 20;
      const bool is_believed = enough_ != StreamReading::kUnknown && have_ >= kLong;
      const std::int64_t step = std::min({enough_ - have_, have_, std::max(kMostAtOnce, have_ / 4)});
      const std::int64_t next = is_believed ? enough_ : have_ + step;
      if (reading_.spill != nullptr) {
        auto file = with_context(printable(name_), [&] { return reading_.spill(next); });
        if (file) return with_context(printable(name_), [&] { return read_into(std::move(*file)); });
      }
      fill(next);
    }
    std::byte* const bytes = memory_.release();
    return std::make_shared<MappedFile>(std::span(bytes, to_size(have_)),
                                        std::shared_ptr<const void>(bytes, std::free));
  }

 private:
  struct Free {
    void operator()(std::byte* block) const { std::free(block); }
  };

  // Whether it is unknown how long the stream is, and its beginning is there.
  [[nodiscard]] bool is_to_examine() const {
    return !ended_ && enough_ == StreamReading::kUnknown && reading_.enough != nullptr &&
           have_ >= StreamReading::kHeadBytes;
  }
  void examine(std::span<const std::byte> so_far) {
    enough_ = std::max(have_, reading_.enough(bytes_text(so_far)));
  }

  // Reads into memory until it holds `bytes` bytes, or enough.
  void fill(std::int64_t bytes) {
    require_memory(bytes - have_, cat("the next part of ", printable(name_)));
    void* const larger = std::realloc(memory_.get(), to_size(bytes));
    if (larger == nullptr) throw_no_memory(bytes, printable(name_));
    static_cast<void>(memory_.release());
    memory_.reset(static_cast<std::byte*>(larger));
    while (!ended_ && have_ < std::min(bytes, enough_)) {
      have_ += read_some(std::span(memory_.get(), to_size(bytes)).subspan(to_size(have_)));
      if (is_to_examine()) examine({memory_.get(), to_size(have_)});
    }
  }

  // Reads at least one byte into the buffer, unless the stream ends. Returns the number of bytes.
  std::int64_t read_some(std::span<std::byte> buffer) {
    ssize_t got = 0;
    while ((got = os().read(fd_.get(), buffer.data(), buffer.size())) < 0) {
      if (!may_retry(fd_.get(), POLLIN)) throw_errno(name_, "cannot read");
    }
    ended_ = got == 0;
    return got;
  }

  // Writes the bytes read so far to the file, then the rest of the stream.
  std::shared_ptr<const MappedFile> read_into(ScratchFile file) {
    file.write_at(0, {memory_.get(), to_size(have_)});
    memory_.reset();
    std::vector<std::byte> block(std::size_t{1} << 20);
    while (!ended_ && have_ < enough_) {
      const std::int64_t most = std::min(to_int64(block.size()), enough_ - have_);
      const std::int64_t got = read_some(std::span(block).first(to_size(most)));
      file.write_at(have_, std::span(block).first(to_size(got)));
      have_ += got;
      if (!is_to_examine()) continue;
      file.truncate(have_);
      examine(file.map());
    }
    file.truncate(have_);
    return std::move(file).into_mapped();
  }

  const FileDescriptor& fd_;
  const std::string& name_;
  const StreamReading& reading_;
  std::unique_ptr<std::byte, Free> memory_;
  std::int64_t have_ = 0;  // bytes read
  std::int64_t enough_ = StreamReading::kUnknown;
  bool ended_ = false;
};

}  // namespace

InputFile::InputFile(std::string name, const FileDescriptor& fd, const StreamReading& reading)
    : name_(std::move(name)), is_standard_input_(fd.get() == STDIN_FILENO) {
  struct stat info {};
  if (os().fstat(fd.get(), &info) != 0) throw_errno(name_, "cannot read");
  if (S_ISDIR(info.st_mode)) throw Error(cat(printable(name_), ": is a directory"));
  // Files in /proc and similar are regular with size 0 and yet have contents. If a redirected standard input
  // is not at offset 0, the input is the rest of the file, so it is read as a stream.
  is_stream_ = !S_ISREG(info.st_mode) || info.st_size == 0 ||
               (is_standard_input_ && ::lseek(STDIN_FILENO, 0, SEEK_CUR) != 0);
  mapping_ = is_stream_ ? StreamReader(fd, name_, reading).read()
                        : std::make_shared<const MappedFile>(fd, name_, info);
}

InputFile InputFile::open(const std::string& path, const StreamReading& reading) {
  auto file = open_existing(path, reading);
  if (!file) throw_errno(path, "cannot open");
  return std::move(*file);
}

std::optional<InputFile> InputFile::open_existing(const std::string& path, const StreamReading& reading) {
  const FileDescriptor fd(os().open(path.c_str(), O_RDONLY | O_CLOEXEC, 0));
  if (fd.is_open()) return InputFile(path, fd, reading);
  const int reason = errno;
  const bool exists = reason != ENOENT && file_exists(path);
  errno = reason;
  if (exists) throw_errno(path, "cannot open");
  return std::nullopt;
}

InputFile InputFile::standard_input(const StreamReading& reading) {
  if (os().isatty(STDIN_FILENO))
    throw Error(cat(kStandardInput, " is a terminal"), "",
                "- reads a pipe or a redirected file: ... | tensorop ... -");
  return {kStandardInput, FileDescriptor(STDIN_FILENO), reading};
}

}  // namespace tensorop
