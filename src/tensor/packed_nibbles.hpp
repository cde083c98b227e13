// Elements of 4 bits as files hold them: two in a byte, the first one in its lower half. In memory each takes
// a byte of its own (tensor/small_number.hpp). Source: section 1.4 of the specification of formats (ONNX);
// safetensors' F4 in the same order.
#pragma once

#include <cstddef>
#include <span>

namespace tensorop {

// `out` has (elements.size() + 1) / 2 bytes; where the number is odd, the upper half of the last one is zero.
// The upper halves of `elements` are dropped.
void pack_nibbles(std::span<const std::byte> elements, std::span<std::byte> out);

// `packed` has (elements.size() + 1) / 2 bytes. The upper halves of `elements` become zero.
void unpack_nibbles(std::span<const std::byte> packed, std::span<std::byte> elements);

}  // namespace tensorop
