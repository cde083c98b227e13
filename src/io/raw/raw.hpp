// Raw binary tensors: files that contain only elements; the operand states dtype and shape:
// "float32[1,3,224,224]@x.bin". Source: docs/formats.md.
#pragma once

#include <memory>

#include "io/operand.hpp"

namespace tensorop {

class Archive;
class InputFile;

// Opens the file as an array: row-major and little-endian; 4-bit elements are packed, the first one in the
// lower half of a byte. Throws Error if the file has a different size.
[[nodiscard]] std::unique_ptr<Archive> open_raw(const InputFile& file, const RawHeader& header);

}  // namespace tensorop
