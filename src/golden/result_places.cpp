#include "golden/result_places.hpp"

#include <sys/stat.h>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
#include "io/opened_file.hpp"

namespace tensorop {

ResultPlaces::Place ResultPlaces::place_of(const std::string& path) {
  struct stat info {};
  std::string place = directory_of(path);
  if (!file_exists(path)) {
    for (std::size_t colon = path.find(':'); colon != std::string::npos; colon = path.find(':', colon + 1)) {
      const std::string archive = path.substr(0, colon);
      if (os().stat(archive.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      place = archive;
      break;
    }
  }
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
