// Whether two operands mean the same array of the same file, whatever their paths are.
#pragma once

#include <optional>
#include <string>

#include "base/files/paths.hpp"
#include "io/safetensors/shard_index.hpp"

namespace tensorop {

// A file, or an array of an archive.
struct ArrayId {
  FileId file;
  std::string array;  // empty: the only one, whatever its name

  [[nodiscard]] bool may_be_same_array(const ArrayId& other) const {
    return array.empty() || other.array.empty() || array == other.array;
  }
};

// Finds out what operands mean. Keeps the indexes that it has read.
class ArrayIds {
 public:
  // The ArrayId of the file `path`, or of the array FILE:NAME. The file of an array that a shard index names
  // is its shard. Returns nullopt, with errno set, if there is no such file.
  //
  // In a format other than NPZ, "a" and "a.npy" are two arrays. They are taken for one here.
  [[nodiscard]] std::optional<ArrayId> of(const std::string& path);

 private:
  ArrayFiles files_;
};

}  // namespace tensorop
