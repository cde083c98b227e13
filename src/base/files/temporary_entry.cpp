#include "base/files/temporary_entry.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// With 36^8 names a collision with another process is unlikely.
std::string random_letters() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string letters;
  std::uint64_t bits = random_bits();
  for (int i = 0; i < 8; ++i, bits /= kLetters.size()) letters += kLetters[bits % kLetters.size()];
  return letters;
}

}  // namespace

std::unique_ptr<TemporaryEntry> TemporaryEntry::make(const std::string& directory, Kind kind,
                                                     const std::function<int(const char* path)>& make) {
  constexpr int kMaxNames = 100;
  for (int i = 0; i < kMaxNames; ++i) {
    std::unique_ptr<TemporaryEntry> entry(
        new TemporaryEntry(path_from(directory, cat(".tensorop-", random_letters(), ".tmp")), kind));
    int reason = 0;
    {
      CleanupLock lock;
      lock.add(entry->name_);
      entry->exists_ = make(entry->path()) == 0;
      reason = errno;
      if (!entry->exists_) lock.remove(entry->name_);
    }
    if (entry->exists_) return entry;
    errno = reason;
    if (reason != EEXIST) break;
  }
  return nullptr;
}

TemporaryEntry::~TemporaryEntry() {
  if (!exists_) return;
  if (name_.kind == Kind::file) {
    if (unlink()) return;
  } else {
    remove_tree(path());
  }
  CleanupLock().remove(name_);
}

bool TemporaryEntry::rename_to(const std::string& destination) {
  return give_up([&] { return os().rename(path(), destination.c_str()); });
}

bool TemporaryEntry::rename_to_new(const std::string& destination) {
  const bool is_renamed = give_up([&] { return os().rename_new(path(), destination.c_str()); });
  if (is_renamed || (errno != EINVAL && errno != ENOSYS)) return is_renamed;
  // The file system lacks RENAME_NOREPLACE: check for the name just before rename().
  struct stat info {};
  if (os().lstat(destination.c_str(), &info) == 0) errno = EEXIST;
  return errno == ENOENT && rename_to(destination);
}

bool TemporaryEntry::unlink() {
  return give_up([&] { return os().unlink(path()); });
}

template <class Call>
bool TemporaryEntry::give_up(const Call& call) {
  int reason = 0;
  {
    CleanupLock lock;
    exists_ = call() != 0;
    reason = errno;
    if (!exists_) lock.remove(name_);
  }
  errno = reason;
  return !exists_;
}

std::string temporary_base() {
  const char* const given = std::getenv("TMPDIR");
  return given == nullptr || *given == '\0' ? "/tmp" : given;
}

std::unique_ptr<TemporaryEntry> make_private_directory() {
  const std::string parent = temporary_base();
  auto directory = TemporaryEntry::make(parent, TemporaryEntry::Kind::folder,
                                        [](const char* path) { return os().mkdir(path, S_IRWXU); });
  if (!directory) throw_errno(parent, "cannot create a temporary directory");
  return directory;
}

}  // namespace tensorop
