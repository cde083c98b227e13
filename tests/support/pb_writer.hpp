// Writes TensorProto files for tests, byte by byte from the format description. Must not use src/io, which is
// what it tests.
#pragma once

#include <string>

#include "tensor/tensor.hpp"

namespace tensorop {

// The whole message, all but strings in raw_data. A name of `name_length` characters stands before raw_data:
// it decides where that begins.
[[nodiscard]] std::string pb_bytes(const Tensor& tensor, std::size_t name_length = 0);

}  // namespace tensorop
