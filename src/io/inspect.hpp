// What a file says of itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

struct FileInfo {
  std::string path;    // of an array in an archive: "a.npz:x"
  std::string format;  // "npy", "npz", "json"
  DType dtype = DType::float32;
  Shape shape;
  std::string stored;  // how the elements are stored: "<f4", "<U5"; empty for JSON
  bool fortran_order = false;
  std::int64_t bytes = 0;   // of the elements as stored; of JSON: of the elements in memory
  std::string compression;  // of an array in an archive: "stored", "deflated"
};

// Reads the header of an NPY file, of one array of an archive ("a.npz:x") or of all its arrays, in their
// order; all of a JSON file. Throws Error naming the path.
[[nodiscard]] std::vector<FileInfo> inspect_file(const std::string& path);

}  // namespace tensorop
