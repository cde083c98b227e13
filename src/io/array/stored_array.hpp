// Decodes the elements of an entry into their form in memory, for all array formats. Knows no header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/array/array_reading.hpp"
#include "io/array/encoding.hpp"
#include "io/array/entry.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Whether elements are stored as in memory, in row-major order.
[[nodiscard]] bool is_plain(const ArrayEntry& entry);
// An entry with the common storage of formats: elements of 4 bits packed, all others as in memory.
[[nodiscard]] ArrayEntry packed_entry(DType dtype, const Shape& shape);
// The encoding for that storage, without prefix and suffix. Not for strings.
[[nodiscard]] Encoding packed_encoding(DType dtype, const Shape& shape);
// The size of the elements in that storage, or of one array of that shape; the largest int64 if it does not
// fit.
[[nodiscard]] std::int64_t packed_bytes(DType dtype, std::int64_t elements);
[[nodiscard]] inline std::int64_t packed_bytes(DType dtype, const Shape& shape) {
  return packed_bytes(dtype, bounded_count(shape));
}

// The array of an entry whose elements are not compressed. Elements stored as in memory are used in place;
// others are decoded as `reading` says, strings always into memory. Throws Error.
[[nodiscard]] Tensor read_stored(const ArrayEntry& entry, const ArrayReading& reading);

// Packing of 4-bit elements in files: two in a byte, the first one in its lower half. In memory each takes
// its own byte (tensor/small_number.hpp). Source: onnx.proto, TensorProto.int32_data and raw_data; the
// safetensors dtype F4 has the same order.
//
// `out` has (elements.size() + 1) / 2 bytes; if the number is odd, the upper half of the last byte is zero.
// The upper halves of `elements` are dropped.
void pack_nibbles(std::span<const std::byte> elements, std::span<std::byte> out);

// `packed` has (elements.size() + 1) / 2 bytes. The upper halves of `elements` become zero.
void unpack_nibbles(std::span<const std::byte> packed, std::span<std::byte> elements);

}  // namespace tensorop
