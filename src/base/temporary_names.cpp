#include "base/temporary_names.hpp"

#include <fcntl.h>

#include <cstdint>
#include <random>
#include <string_view>

#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

// The first attempts use the name that is derived from the destination.
constexpr int kSameNames = 2;

}  // namespace

std::string temporary_name(const std::string& destination, int attempt) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::uint64_t number = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : std::string_view(destination).substr(destination.rfind('/') + 1)) {
    number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  if (attempt >= kSameNames) number = std::random_device()() * std::uint64_t{0x100000001b3};
  std::string letters;
  for (int i = 0; i < 6; ++i, number /= kLetters.size()) letters += kLetters[number % kLetters.size()];
  return cat(directory_of(destination), "/.tensorop-", letters, ".tmp");
}

void remove_leftover(const PendingName& name) {
  const bool is_file = name.kind() == PendingName::Kind::file;
  const auto open = [&](int flags) {
    return FileDescriptor(os().open(name.path(), flags | O_NOFOLLOW | O_CLOEXEC, 0));
  };
  // Network file systems lock only what is open for writing.
  FileDescriptor fd = open(is_file ? O_RDWR | O_NONBLOCK : O_RDONLY | O_DIRECTORY);
  if (!fd.is_open() && is_file) fd = open(O_RDONLY | O_NONBLOCK);
  struct stat opened {};
  struct stat named {};
  if (!fd.is_open() || os().flock(fd.get()) != 0) return;
  if (os().fstat(fd.get(), &opened) != 0 || os().lstat(name.path(), &named) != 0) return;
  // The name may meanwhile be that of something else, which is being written.
  if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino) return;
  if (!is_file) {
    remove_tree(name.path());
  } else if (S_ISREG(opened.st_mode)) {
    os().unlink(name.path());
  }
}

}  // namespace tensorop
