// The elements of a TensorProto that are not stored as in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "io/onnx/protobuf.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The bytes of so many elements where those of less than 8 bits are packed; nothing where int64 does not hold
// them.
[[nodiscard]] std::optional<std::int64_t> packed_bytes(DType dtype, std::int64_t elements);

// How many numbers, or strings, a field of typed data holds. Throws Error.
[[nodiscard]] std::int64_t count_numbers(const ProtoField& field);

// The tensor whose elements are in the typed field of `dtype`, in a message that begins at `byte` of its file
// and has as many of them as `shape` wants. Throws Error naming the first element that is not one.
[[nodiscard]] Tensor decode_typed_data(std::span<const std::byte> message, std::int64_t byte, DType dtype,
                                       const Shape& shape);

// The tensor of elements of less than 8 bits, of which `packed` has packed_bytes().
[[nodiscard]] Tensor unpacked_tensor(DType dtype, const Shape& shape, std::span<const std::byte> packed);

}  // namespace tensorop
