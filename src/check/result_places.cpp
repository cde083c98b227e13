#include "check/result_places.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
#include "io/opened_file.hpp"

namespace tensorop {

ResultPlaces::Place ResultPlaces::place_of(const std::string& path) {
  std::string place = directory_of(path);
  if (!file_exists(path)) {
    const auto names = split_names(path);
    const auto archive =
        std::ranges::find_if(names, [](const NameInFile& parts) { return is_regular_file(parts.file); });
    if (archive != names.end()) place = archive->file;
  }
  struct stat info {};
  if (os().stat(place.c_str(), &info) != 0) throw_errno(place, "cannot look for results");
  return {place, {info.st_dev, info.st_ino}};
}

void ResultPlaces::add(const std::string& path) {
  known_.insert(place_of(path).key);
}

void ResultPlaces::require_absent(const std::vector<std::string>& candidates) const {
  for (const std::string& path : candidates) {
    if (entry_exists(path)) throw Error(cat(printable(path), ": cannot be opened, but is not absent"));
  }
  const Place place = place_of(candidates.at(0));
  if (known_.contains(place.key)) return;
  throw Error(
      cat("the absent result proves nothing: no valid case of this run has one in ", printable(place.path)),
      "", "a run needs a valid case whose result is there");
}

bool lacks_array(const std::string& path) {
  if (path.find(':') == std::string::npos || file_exists(path)) return false;
  auto opened = open_archive_path(path);
  return opened && opened->array && !open_archive(*opened)->lookup(*opened->array);
}

}  // namespace tensorop
