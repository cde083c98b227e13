// The elements of an entry of a file, read into the form that they have in memory: what formats of arrays
// share, whatever their headers are. Knows no header.
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

// Whether elements are stored as in memory, and in row-major order.
[[nodiscard]] bool is_plain(const ArrayEntry& entry);
// An array as formats store it that pack elements of 4 bits, and all others as in memory.
[[nodiscard]] ArrayEntry packed_entry(DType dtype, const Shape& shape);
// How they write one: without a prefix and a suffix. Not for strings.
[[nodiscard]] Encoding packed_encoding(DType dtype, const Shape& shape);
// The bytes of so many of its elements; nothing if int64 does not hold them.
[[nodiscard]] std::optional<std::int64_t> packed_bytes(DType dtype, std::int64_t elements);

// The array of an entry whose elements are not compressed. Where they lie as memory wants them, they stay
// there; else they go where `reading` says, strings always into memory. Throws Error.
[[nodiscard]] Tensor read_stored(const ArrayEntry& entry, const ArrayReading& reading);

// Elements of 4 bits as files hold them: two in a byte, the first one in its lower half. In memory each takes
// a byte of its own (tensor/small_number.hpp). Source: section 1.4 of the specification of formats (ONNX);
// safetensors' F4 in the same order.
//
// `out` has (elements.size() + 1) / 2 bytes; where the number is odd, the upper half of the last one is zero.
// The upper halves of `elements` are dropped.
void pack_nibbles(std::span<const std::byte> elements, std::span<std::byte> out);

// `packed` has (elements.size() + 1) / 2 bytes. The upper halves of `elements` become zero.
void unpack_nibbles(std::span<const std::byte> packed, std::span<std::byte> elements);

}  // namespace tensorop
