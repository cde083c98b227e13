// Reads a TensorProto except the values of its elements; reads these too if they are not stored as in memory.
// The trust boundary of the format: everything that io/onnx/tensor_proto.cpp relies on is checked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/onnx/protobuf.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The place of external data: the elements of a model's tensor in another file.
struct ExternalData {
  std::string location = {};  // path relative to the model's folder; any bytes
  std::int64_t offset = 0;    // not negative
};

// The result of reading all fields of a message.
struct TensorProtoHeader {
  DType dtype = DType::float32;
  Shape shape = {};
  std::string name = {};
  std::uint32_t data_field = 0;               // the field with the elements; 0: none
  std::span<const std::byte> raw = {};        // contents of raw_data, a view
  std::int64_t string_bytes = 0;              // bytes in string_data
  std::optional<ExternalData> external = {};  // has as many bytes as dtype and shape need
  std::vector<std::string> warnings = {};     // lines
};

// Throws the Error if the front of an incomplete message already shows one.
void require_possible_tensor(ProtoMessage front);

// Reads a complete message at offset `byte` of its file. Throws Error; if the fields are not a tensor's and
// show the kind of message, the Error names the kind. External data is an Error too unless `may_be_external`.
[[nodiscard]] TensorProtoHeader read_tensor_proto_header(std::span<const std::byte> message,
                                                         std::int64_t byte, bool may_be_external = false);

// The number of numbers or strings in a field of typed data. Throws Error.
[[nodiscard]] std::int64_t count_numbers(const ProtoField& field);

// Decodes the elements in the typed field of `dtype`, in a message at offset `byte` of its file with as many
// elements as `shape` needs. Throws Error naming the first invalid element.
[[nodiscard]] Tensor decode_typed_data(std::span<const std::byte> message, std::int64_t byte, DType dtype,
                                       const Shape& shape);

}  // namespace tensorop
