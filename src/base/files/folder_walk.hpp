// The files below a folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tensorop {

// Something below a folder that is not a folder, or a folder that cannot be listed.
struct FoundFile {
  std::string path = {};    // as seen from the folder where the walk begins
  bool is_regular = false;  // after following symbolic links
  std::int64_t bytes = 0;   // of a regular file
  bool is_folder = false;   // one that cannot be listed, or what cannot be told from a folder
  std::string fault = {};   // why nothing more is known: "cannot list: Permission denied"
};

// All of them, in the order of their paths. Names that begin with a dot are left out. A symbolic link to a
// folder is followed, unless the walk has been in that folder: the walk ends, and no folder is listed twice.
// Throws Error when `folder` itself cannot be listed.
[[nodiscard]] std::vector<FoundFile> files_below(const std::string& folder);

// Whether `path` is a folder, after following symbolic links.
[[nodiscard]] bool is_folder(const std::string& path);

}  // namespace tensorop
