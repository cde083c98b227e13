// Classifies a protobuf message: ONNX model, tensor or sequence. Messages have no signature, so the numbers
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
  other,     // complete, bytes in field 1, no data type: such as a TensorFlow graph
  none,      // anything else
};

// Classifies the message in `bytes` by its fields up to the first one that is malformed or cut: so the front
// of a model is a model as soon as it cannot be a tensor. Time is at most proportional to the number of
// fields; the contents of fields are not examined. Never throws.
[[nodiscard]] MessageKind classify_message(std::span<const std::byte> bytes);

}  // namespace tensorop
