// What a file says of itself.
#pragma once

#include <cstdint>
#include <string>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

struct FileInfo {
  std::string path;
  std::string format;  // "npy", "json"
  DType dtype = DType::float32;
  Shape shape;
  std::string stored;  // how the elements are stored: "<f4", "<U5"; empty for JSON
  bool fortran_order = false;
  std::int64_t bytes = 0;  // of the elements as stored; of JSON: of the elements in memory
};

// Reads the header of an NPY file, all of a JSON file. Throws Error naming the path.
[[nodiscard]] FileInfo inspect_file(const std::string& path);

}  // namespace tensorop
