// Lists the files below a folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/text/unseen.hpp"

namespace tensorop {

// An entry below a folder: anything but a folder, or a folder that the walk does not enter.
struct FoundFile {
  std::string path = {};                // relative to the folder where the walk begins
  bool is_regular = false;              // after following symbolic links
  std::int64_t bytes = 0;               // size of a regular file
  bool is_folder = false;               // a folder that the walk does not enter; also a dangling link
  std::vector<std::string> names = {};  // names in a folder that is one entry
  std::string fault = {};               // why the entry has no more facts: "cannot list: Permission denied"
};

// Returns all entries in the order of their paths. Names that begin with a dot are skipped. A symbolic link
// to a folder is followed, unless the walk has visited that folder: so the walk ends, and no folder is listed
// twice. A folder for which `is_whole` is true, also `folder` itself (as ""), is one entry and is not
// entered. A dangling link is an entry with a fault and is_folder set; links that are not followed are added
// to `unseen`. Throws Error if `folder` itself cannot be listed.
using IsWholeFolder = std::function<bool(const std::string& path, const std::vector<std::string>& names)>;
[[nodiscard]] std::vector<FoundFile> files_below(const std::string& folder,
                                                 const IsWholeFolder& is_whole = nullptr,
                                                 std::vector<Unseen>* unseen = nullptr);

}  // namespace tensorop
