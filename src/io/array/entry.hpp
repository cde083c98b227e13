// An array in a file: what the file says of it, and where its elements are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Text that a file has about itself, in its order; no key twice.
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

// The bytes of the elements, as stored and in memory, fit in int64.
struct ArrayEntry {
  std::string path = {};         // of an array in an archive: "a.npz:x"
  std::string_view format = {};  // Format::name
  std::size_t member = 0;        // its position in the file

  bool names_dtype = true;                         // false: the file does not say it; the elements are bytes
  std::optional<DType> dtype = {};                 // nothing where tensorop has none for what is stored
  std::shared_ptr<const Error> refused = nullptr;  // then: why it is not read
  Shape shape = {};
  std::string stored = {};  // how the elements are stored: "<f4", "<U5", "F32"; empty for text
  StoredEncoding encoding = StoredEncoding::native;
  std::int64_t item_bytes = 0;  // of one stored element; not of nibbles and fields
  bool fortran_order = false;
  bool is_unaligned = false;  // where a format aligns them, elements begin at no multiple of their size
  std::int64_t bytes = 0;     // of the elements as stored; of text: in memory. Of strings: UTF-8
  std::string_view compression = {};  // of an array in an archive: "stored", "deflated"

  // The elements begin at `offset` in the file or, if they are deflated, in the inflated member. A null
  // owner: there are no elements, or Archive::readable() sets it.
  std::shared_ptr<const MappedFile> owner = nullptr;
  std::int64_t offset = 0;
  std::string file = {};  // of an archive in several: the one that has the array

  std::string name = {};                   // that the file gives its array; empty: none
  std::vector<std::string> warnings = {};  // lines, without the path
};

}  // namespace tensorop
