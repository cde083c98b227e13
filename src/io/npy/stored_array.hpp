// The elements of an array as a file stores them, read into the form that they have in memory: what formats
// of arrays share, whatever their headers are. Knows no header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/files/input_file.hpp"
#include "io/array_reading.hpp"
#include "io/encoding.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// How the elements of a file are stored.
enum class StoredEncoding : std::uint8_t {
  native,   // as in memory
  swapped,  // each number big-endian; complex: each part
  utf32,    // strings of fixed width in code points, zero-padded
  utf32_swapped,
  bytes,    // strings of fixed width in bytes of UTF-8, zero-padded
  nibbles,  // two elements in a byte, the first one in its lower half; in row-major order
};

// The bytes of its elements, and those of the tensor, fit in int64.
struct StoredArray {
  DType dtype = DType::float32;
  StoredEncoding encoding = StoredEncoding::native;
  std::int64_t item_bytes = 0;  // of one stored element; not of nibbles
  bool fortran_order = false;
  Shape shape = {};

  // Of all stored elements.
  [[nodiscard]] std::int64_t bytes() const;
  // Whether elements are stored as in memory, and in row-major order.
  [[nodiscard]] bool is_plain() const;
};

// As formats store arrays that pack elements of 4 bits, and all others as in memory.
[[nodiscard]] StoredArray packed_array(DType dtype, const Shape& shape);
// How they write one: without a prefix and a suffix. Not for strings.
[[nodiscard]] Encoding packed_encoding(DType dtype, const Shape& shape);
// The bytes of so many of its elements; nothing if int64 does not hold them.
[[nodiscard]] std::optional<std::int64_t> packed_bytes(DType dtype, std::int64_t elements);

// The array whose elements are `stored`, array.bytes() bytes of `file`. Where they lie as memory wants them,
// they stay there; else they go where `reading` says, strings always into memory. Throws Error.
[[nodiscard]] Tensor read_stored(const StoredArray& array, const std::byte* stored,
                                 const std::shared_ptr<const MappedFile>& file, const ArrayReading& reading);

// Elements of 4 bits as files hold them: two in a byte, the first one in its lower half. In memory each takes
// a byte of its own (tensor/small_number.hpp). Source: section 1.4 of the specification of formats (ONNX);
// safetensors' F4 in the same order.
//
// `out` has (elements.size() + 1) / 2 bytes; where the number is odd, the upper half of the last one is zero.
// The upper halves of `elements` are dropped.
void pack_nibbles(std::span<const std::byte> elements, std::span<std::byte> out);

// `packed` has (elements.size() + 1) / 2 bytes. The upper halves of `elements` become zero.
void unpack_nibbles(std::span<const std::byte> packed, std::span<std::byte> elements);

// Throws the Error for an array of so many bytes of which the file holds another number.
[[noreturn]] void refuse_length(std::int64_t promised, std::int64_t held);

}  // namespace tensorop
