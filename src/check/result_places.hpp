// The folders and archives in which another program has left results. An absent result means that the program
// has refused the call only if the folder or archive exists and has other results.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/operand.hpp"

namespace tensorop {

class ResultPlaces {
 public:
  // Adds the place of a result of a valid case: of a file, or of an array of an archive ("a.npz:x"). A result
  // that holds no tensor has no place.
  void add(const Operand& file);

  // `candidates`: the paths that a result could have, all in one place. Throws Error if one of them exists,
  // even as a dangling link, or if no result in that place was added.
  void require_absent(const std::vector<std::string>& candidates) const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // device and inode
  struct Place {
    std::string path;
    Key key;
  };
  static Place place_of(const Operand& file);

  std::set<Key> known_;
};

// Whether an archive of that name exists and has no such array. Throws Error if it cannot be read.
[[nodiscard]] bool lacks_array(const Operand& file);

}  // namespace tensorop
