#include "base/files/paths.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/files/file_io.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string file_name_of(std::string_view name) {
  constexpr std::size_t kMostBytes = 240;  // leaves room for a number and an extension
  std::string out(name.substr(0, kMostBytes));
  // Does not cut a UTF-8 character.
  while (out.size() < name.size() && !out.empty() &&
         (static_cast<unsigned char>(name[out.size()]) & 0xC0U) == 0x80)
    out.pop_back();
  const auto is_unfit = [](char c) { return c == '/' || c == '\x7F' || static_cast<unsigned char>(c) < ' '; };
  std::ranges::replace_if(out, is_unfit, '_');
  if (out.empty()) return "_";
  if (out.front() == '.') out.front() = '_';
  return out;
}

std::string path_from(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.starts_with('/')) return path;
  return folder.ends_with('/') ? folder + path : cat(folder, "/", path);
}

void make_folder(const std::string& path, bool durable) {
  constexpr mode_t kMode = 0777;  // less the umask
  if (file_exists(path)) return;
  const std::string outer = directory_of(path);
  if (outer != path) make_folder(outer, durable);
  // EEXIST: another process may have made it meanwhile.
  if (os().mkdir(path.c_str(), kMode) != 0 && errno != EEXIST)
    throw_errno(path, "cannot create the directory");
  if (durable && !sync_folder(outer)) throw_errno(outer, "cannot write to the disk");
}

std::optional<FileId> file_id(const std::string& path) {
  struct stat info {};
  if (os().stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

bool file_exists(const std::string& path) {
  return file_id(path).has_value();
}

namespace {

// 0 if the path leads to nothing.
mode_t mode_of(const std::string& path) {
  struct stat info {};
  return os().stat(path.c_str(), &info) == 0 ? info.st_mode : 0;
}

}  // namespace

bool is_regular_file(const std::string& path) {
  return S_ISREG(mode_of(path));
}

bool is_folder(const std::string& path) {
  return S_ISDIR(mode_of(path));
}

bool is_other_file(const std::string& path) {
  const mode_t mode = mode_of(path);
  return mode != 0 && !S_ISREG(mode);
}

bool entry_exists(const std::string& path) {
  struct stat info {};
  if (os().lstat(path.c_str(), &info) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG) throw_errno(path, "cannot be looked for");
  return false;
}

void require_regular_file(const std::string& path) {
  if (is_other_file(path) && !is_folder(path)) throw Error(cat(printable(path), ": is not a regular file"));
}

void require_content(const std::string& path) {
  struct stat info {};
  if (os().stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0)
    throw Error(cat(printable(path), ": is empty: a file of 0 bytes is no result"));
}

void refuse_entry(const std::string& shown, const std::string& directory) {
  const int reason = errno;
  if (reason == ENOENT && !file_exists(directory))
    throw Error(cat(printable(shown), ": cannot write: folder ", printable(directory), " does not exist"));
  errno = reason;
  const bool is_refused = reason == EACCES || reason == EPERM || reason == EROFS;
  throw_errno(shown, is_refused ? cat("cannot write in folder ", printable(directory)) : "cannot write");
}

std::optional<int> named_descriptor(std::string_view path) {
  if (!path.starts_with("/dev/") && !path.starts_with("/proc/")) return std::nullopt;
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string& folder :
       {std::string("/dev/fd/"), std::string("/proc/self/fd/"), std::string("/proc/thread-self/fd/"),
        cat("/proc/", ::getpid(), "/fd/")}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = 0;
    const auto [end, fault] = std::from_chars(digits.begin(), digits.end(), number);
    if (fault == std::errc() && end == digits.end() && digits == cat(number)) return number;
  }
  return std::nullopt;
}

std::string resolve_links(const std::string& path, const std::string& shown) {
  constexpr int kMaxLinks = 40;
  const std::string& name = shown.empty() ? path : shown;
  std::string current = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (named_descriptor(current)) return current;
    struct stat info {};
    if (os().lstat(current.c_str(), &info) != 0) {
      if (errno == ENOENT) return current;
      throw_errno(name, "cannot write");
    }
    if (!S_ISLNK(info.st_mode)) return current;
    std::array<char, PATH_MAX> target{};
    const ssize_t length = os().readlink(current.c_str(), target.data(), target.size());
    if (length < 0) throw_errno(name, "cannot write");
    current = path_from(directory_of(current), {target.data(), static_cast<std::size_t>(length)});
  }
  errno = ELOOP;
  throw_errno(name, "cannot write");
}

namespace {

// The end of the chain of links, as far as it can be followed; opening the file reports the fault.
std::string end_of_links(const std::string& path) {
  try {
    return resolve_links(path);
  } catch (const Error&) {
    return path;
  }
}

}  // namespace

std::string PathKeys::key_of(const std::string& path) {
  const std::string end = end_of_links(path);
  return cat(key_of_folder(directory_of(end)), "/", end.substr(end.rfind('/') + 1));
}

std::string PathKeys::key_of_folder(const std::string& folder) {
  auto known = folders_.find(folder);
  if (known == folders_.end()) {
    const auto id = file_id(folder);
    known = folders_.emplace(folder, id ? cat(id->device, ":", id->inode) : folder).first;
  }
  return known->second;
}

std::vector<std::string> PathKeys::folders_of(const std::string& path) {
  std::string folder = directory_of(end_of_links(path));
  std::vector<std::string> out = {key_of_folder(folder)};
  // The root is its own parent, and so is a folder that does not exist.
  while (out.back() != folder) {
    folder += "/..";
    std::string next = key_of_folder(folder);
    if (next == out.back()) break;
    out.push_back(std::move(next));
  }
  return out;
}

}  // namespace tensorop
