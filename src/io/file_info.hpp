// The description of an array in a file, for `info`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Text that a file has about itself, in its order; no key twice.
using Metadata = std::vector<std::pair<std::string, std::string>>;

struct FileInfo {
  std::string path;            // of an array in an archive: "a.npz:x"
  std::string_view format;     // Format::name
  bool names_dtype = true;     // false: the file does not say it; the elements are bytes
  std::optional<DType> dtype;  // nothing where tensorop has none for what is stored
  Shape shape;
  std::string stored;  // how the elements are stored: "<f4", "<U5", "F32"; empty for text
  bool fortran_order = false;
  bool is_unaligned =
      false;                // in a format that aligns them, elements do not begin at a multiple of their size
  std::int64_t bytes = 0;   // of the elements as stored; of text: in memory. Of strings: UTF-8
  std::string compression;  // of an array in an archive: "stored", "deflated"
  std::size_t member = 0;   // of an array in an archive: its position
  std::string file = {};    // of an archive in several: the one that has the array
  std::string name = {};    // that the file gives its array; empty: none
  std::vector<std::string> warnings = {};  // lines, without the path
};

}  // namespace tensorop
