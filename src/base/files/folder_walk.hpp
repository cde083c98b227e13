// The files below a folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/unseen.hpp"

namespace tensorop {

// Something below a folder that is not a folder, or a folder that is not entered.
struct FoundFile {
  std::string path = {};    // as seen from the folder where the walk begins
  bool is_regular = false;  // after following symbolic links
  std::int64_t bytes = 0;   // of a regular file
  bool is_folder = false;   // one that cannot be listed or is taken as a whole, or what may be a folder
  std::vector<std::string> names = {};  // of a folder that is taken as a whole: what is in it
  std::string fault = {};               // why nothing more is known: "cannot list: Permission denied"
};

// All of them, in the order of their paths. Names that begin with a dot are left out. A symbolic link to a
// folder is followed, unless the walk has been in that folder: the walk ends, and no folder is listed twice.
// Folders, also `folder` itself (as ""), for which `is_whole` is true are one entry and are not entered.
// A link that leads nowhere is an entry with a fault that may be a folder; links that are not followed are
// added to `unseen`. Throws Error when `folder` itself cannot be listed.
using IsWholeFolder = std::function<bool(const std::string& path, const std::vector<std::string>& names)>;
[[nodiscard]] std::vector<FoundFile> files_below(const std::string& folder,
                                                 const IsWholeFolder& is_whole = nullptr,
                                                 std::vector<Unseen>* unseen = nullptr);

}  // namespace tensorop
