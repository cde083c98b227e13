// Detects whether two operands mean the same array of the same file, despite different paths.
#pragma once

#include <optional>
#include <string>

#include "base/files/paths.hpp"
#include "io/operand.hpp"
#include "io/safetensors/array_files.hpp"

namespace tensorop {

// A file, or an array of an archive.
struct ArrayId {
  FileId file;
  std::string array;  // empty: the only array, whatever its name

  [[nodiscard]] bool may_be_same_array(const ArrayId& other) const {
    return array.empty() || other.array.empty() || array == other.array;
  }
};

// Identifies the arrays of operands. Caches the shard indexes that it reads.
class ArrayIds {
 public:
  // The ArrayId of the operand's file, or of its array FILE:NAME. An array of a shard index has the FileId of
  // its shard, standard input the one of the file that it is read from. Returns nullopt, with errno set, if
  // there is no such file.
  //
  // "a" and "a.npy" count as one array, although they are two arrays in formats other than NPZ.
  [[nodiscard]] std::optional<ArrayId> id_of(const Operand& operand);
  // The path of the file that holds the array: of an index of shards the shard, of standard input
  // /dev/stdin. Its path if there is none.
  [[nodiscard]] std::string file_of(const Operand& operand) { return find(operand).file; }

 private:
  // The file and the name of the array in it; "": the whole file.
  [[nodiscard]] NameInFile find(const Operand& operand);

  ArrayFiles files_;
};

}  // namespace tensorop
