// Raw binary tensors: files that contain only elements; the operand states dtype and shape:
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
  Shape shape;                      // 0 for the dimension `open`
  std::optional<std::size_t> open;  // "?": computed from the file size
  std::string path;                 // text after the "@": a file, or "-"

  // StreamReading::enough: one byte more than the elements, to detect a stream that goes on.
  [[nodiscard]] std::int64_t enough_bytes() const;
};

// The PATH of a text DTYPE[DIM,...]@PATH, even with malformed dimensions; empty for other texts.
[[nodiscard]] std::string_view raw_path(std::string_view text);
// The same text with its path replaced by path_from(folder, path); a text of another form is a path.
[[nodiscard]] std::string operand_from(const std::string& folder, const std::string& text);

// Parses DTYPE[DIM,...]@PATH, or DTYPE[DIM,...] without a file; nothing if `text` does not begin like that.
// Throws Error naming `text` if a dimension is malformed, two dimensions are "?", or the shape is too large.
[[nodiscard]] std::optional<RawHeader> parse_raw(const std::string& text);

// Opens the file as an array: row-major and little-endian; 4-bit elements are packed, the first one in the
// lower half of a byte. Throws Error if the file has a different size.
[[nodiscard]] std::unique_ptr<Archive> open_raw(const InputFile& file, const RawHeader& header);

}  // namespace tensorop
