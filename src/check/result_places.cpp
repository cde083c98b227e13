#include "check/result_places.hpp"

#include <sys/stat.h>

#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "check/judge.hpp"
#include "io/archive.hpp"
#include "io/opened_file.hpp"

namespace tensorop {

ResultPlaces::Place ResultPlaces::place_of(const Operand& file) {
  std::string place = directory_of(file.path);
  if (const auto member = find_member(file, is_regular_file); member && !file_exists(file.path))
    place = member->file;
  struct stat info {};
  if (os().stat(place.c_str(), &info) != 0) throw_errno(place, "cannot look for results");
  return {place, {info.st_dev, info.st_ino}};
}

void ResultPlaces::add(const Operand& file) {
  const Key key = place_of(file).key;
  if (!known_.contains(key) && holds_tensor(file)) known_.insert(key);
}

void ResultPlaces::require_absent(const std::vector<std::string>& candidates) const {
  for (const std::string& path : candidates) {
    if (entry_exists(path)) throw Error(cat(printable(path), ": cannot be opened, but is not absent"));
  }
  const Place place = place_of(Operand::of_path(candidates.at(0)));
  if (known_.contains(place.key)) return;
  throw Error(
      cat("the absent result proves nothing: no valid case of this run has one in ", printable(place.path)),
      "", "a run needs a valid case whose result is there");
}

bool lacks_array(const Operand& file) {
  if (file_exists(file.path)) return false;
  const auto opened = open_archive_path(file);
  return opened && opened->array && !open_archive(*opened)->lookup(*opened->array);
}

}  // namespace tensorop
