// The kind of a protobuf message: ONNX model, tensor or sequence. Messages have no signature, so the numbers
// and wire types of their fields decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tensorop {

enum class MessageKind : std::uint8_t {
  tensor,    // TensorProto
  model,     // ModelProto
  sequence,  // SequenceProto or OptionalProto with a name
  other,     // a whole message with bytes in field 1 and without a data type, as a TensorFlow graph
  none,      // anything else
};

// The kind of the message in `bytes`, by its fields up to the first one that is malformed or cut: so the
// front of a model is a model as soon as it cannot be a tensor. Time is proportional to the number of fields
// at most; the bytes of fields are not read. Never throws.
[[nodiscard]] MessageKind classify_message(std::span<const std::byte> bytes);

}  // namespace tensorop
