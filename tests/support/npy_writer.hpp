// Writes NPY files for tests, byte by byte from the format description: any dtype in any of the layouts that
// NumPy produces. Must not use src/io, which is what it tests.
#pragma once

#include <string>

#include "tensor/tensor.hpp"

namespace tensorop {

struct NpyLayout {
  bool fortran_order = false;
  bool big_endian = false;     // bfloat16 (<V2) and types of one byte have no byte order and ignore it
  int version = 1;             // 1, 2 or 3
  bool bytes_strings = false;  // strings as |S (UTF-8) instead of <U
};

// The whole file.
[[nodiscard]] std::string npy_bytes(const Tensor& tensor, const NpyLayout& layout = {});

// A file of these bytes in place of whatever `path` names; a mapping of an older file stays as it was.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace tensorop
