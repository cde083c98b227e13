// An array in a file: its description in the file, and the place of its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/text/error.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Metadata of a file: keys and texts in file order, without duplicate keys.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// How the elements of a file are stored.
enum class StoredEncoding : std::uint8_t {
  native,   // as in memory
  swapped,  // each number big-endian; complex: each part
  utf32,    // strings of fixed width in code points, zero-padded
  utf32_swapped,
  bytes,    // strings of fixed width in bytes of UTF-8, zero-padded
  nibbles,  // two elements in a byte, the first one in its lower half; in row-major order
  fields,   // in fields of a TensorProto
};

// The byte counts of the elements, as stored and in memory, fit in int64.
struct ArrayEntry {
  std::string path = {};         // path of an array in an archive: "a.npz:x"
  std::string_view format = {};  // Format::name
  std::size_t member = 0;        // position in the file

  bool names_dtype = true;                         // false: the file names no dtype; the elements are bytes
  std::optional<DType> dtype = {};                 // nothing if tensorop lacks the stored dtype
  std::shared_ptr<const Error> refused = nullptr;  // if so: why it is not supported
  Shape shape = {};
  std::string stored = {};  // dtype code of the file: "<f4", "<U5", "F32"; empty for text
  StoredEncoding encoding = StoredEncoding::native;
  std::int64_t item_bytes = 0;  // bytes of a stored element; unused for nibbles and fields
  bool fortran_order = false;
  bool is_unaligned = false;          // element offset is not a multiple of the size, in an aligning format
  std::int64_t bytes = 0;             // bytes of elements as stored; text: in memory; strings: UTF-8
  bool knows_bytes = true;            // false: a dtype that is not known; `bytes` is 0
  std::string_view compression = {};  // in an archive: "stored", "deflated"

  // Offset of the elements in the file or, if they are deflated, in the inflated member. A null owner: the
  // array has no elements, or Archive::readable() sets the owner.
  std::shared_ptr<const MappedFile> owner = nullptr;
  std::int64_t offset = 0;
  std::string file = {};  // in an archive of several files: the file with the array

  std::string name = {};                   // name of the array in the file; may be empty
  std::vector<std::string> warnings = {};  // lines without the path
};

}  // namespace tensorop
