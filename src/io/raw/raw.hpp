// Raw binary tensors: files of nothing but elements, whose dtype and shape the operand says:
// "float32[1,3,224,224]@x.bin". Source: docs/formats.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

class Archive;
class InputFile;

// An operand text DTYPE[DIM,...]@PATH: dtype, shape and path of a raw file.
struct RawHeader {
  DType dtype;
  Shape shape;                      // with a 0 for the dimension `open`
  std::optional<std::size_t> open;  // "?": its size follows from the number of bytes
  std::string path;                 // what follows the "@": a file, or "-"

  // StreamReading::enough: a byte more than the elements have shows that the stream goes on.
  [[nodiscard]] std::int64_t enough_bytes() const;
};

// The PATH of a text DTYPE[DIM,...]@PATH, whatever the dimensions are; empty for other texts.
[[nodiscard]] std::string_view raw_path(std::string_view text);
// The same text with the path as path_from() has it seen from `folder`; other texts are paths.
[[nodiscard]] std::string operand_from(const std::string& folder, const std::string& text);

// Reads DTYPE[DIM,...]@PATH, or DTYPE[DIM,...] without a file; nothing where `text` does not begin as that.
// Throws Error naming `text` where a dimension is malformed, two are open, or a tensor of that shape cannot
// be.
[[nodiscard]] std::optional<RawHeader> parse_raw(const std::string& text);

// Opens the file as an array: row-major and little-endian; 4-bit elements are packed, the first one in the
// lower half of a byte. Throws Error if the file has a different size.
[[nodiscard]] std::unique_ptr<Archive> open_raw(const InputFile& file, const RawHeader& header);

}  // namespace tensorop
