#include "base/system/system.hpp"

#include <dirent.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

int System::clone_range(int from, off_t from_offset, int to, off_t to_offset, size_t bytes) {
  file_clone_range range{from, static_cast<std::uint64_t>(from_offset), bytes,
                         static_cast<std::uint64_t>(to_offset)};
  return ::ioctl(to, FICLONERANGE, &range);
}

int System::scandir(const char* path, std::vector<std::string>& names) {
  const auto close = [](DIR* folder) { ::closedir(folder); };
  std::unique_ptr<DIR, decltype(close)> folder(::opendir(path));
  if (!folder) return -1;
  errno = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  const int reason = errno;
  folder.reset();
  errno = reason;
  return reason == 0 ? 0 : -1;
}

namespace {
System*& current_system() {
  static System real;
  static System* current = &real;
  return current;
}
}  // namespace

System& os() {
  return *current_system();
}

ScopedSystem::ScopedSystem(System& replacement) : previous_(current_system()) {
  current_system() = &replacement;
}
ScopedSystem::~ScopedSystem() {
  current_system() = previous_;
}

// Avoids std::random_device, which first runs CPUID: 0.03 ms on a virtual machine.
std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  if (::getentropy(&bits, sizeof bits) != 0) throw_errno("getentropy", "cannot get random bits");
  return bits;
}

void throw_errno(const std::string& path, const std::string& what) {
  const int code = errno;
  throw Error(cat(printable(path), ": ", what, ": ", std::strerror(code)));
}

}  // namespace tensorop
