// Names of files: their parts, where symbolic links lead, and whether two of them mean one file.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tensorop {

// The folder that holds `path`: "." where it names none.
[[nodiscard]] std::string directory_of(const std::string& path);

// `path` as seen from `folder`; an absolute path, and any path from the folder "", is left as it is.
[[nodiscard]] std::string path_from(const std::string& folder, const std::string& path);

// Whether something stands there, at the end of symbolic links.
[[nodiscard]] bool file_exists(const std::string& path);

// A name of something that this process holds open. It looks like a symbolic link to a file, and yet the open
// file is meant and no other of that name.
[[nodiscard]] bool is_descriptor_name(std::string_view path);

// Where the chain of symbolic links that `path` may begin ends, whether something stands there or not. Throws
// Error naming `path` when it cannot be followed.
[[nodiscard]] std::string resolve_links(const std::string& path);

// Tells which paths mean one file, also one that is not there yet: however its folder is written, and through
// symbolic links.
class PathKeys {
 public:
  // Equal for paths that mean one file. What cannot be followed is taken by its text.
  [[nodiscard]] std::string of(const std::string& path);

 private:
  std::map<std::string, std::string> folders_;  // what was found out of each, asked once
};

}  // namespace tensorop
