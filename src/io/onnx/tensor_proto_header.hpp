// What the fields of a TensorProto say of its tensor: all but the values of its elements, and those values
// where they are not stored as in memory. The trust boundary of the format: everything that
// io/onnx/tensor_proto.cpp relies on is checked here.
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

// Where the elements of a tensor of a model are that another file has.
struct ExternalData {
  std::string location = {};  // a path from the folder of the model; any bytes
  std::int64_t offset = 0;    // not negative
};

// What is known of a tensor when the fields of its message have been seen.
struct TensorProtoHeader {
  DType dtype = DType::float32;
  Shape shape = {};
  std::string name = {};
  std::uint32_t data_field = 0;               // that the elements are in; 0 where there is none
  std::span<const std::byte> raw = {};        // the bytes of raw_data in the message
  std::int64_t string_bytes = 0;              // of string_data
  std::optional<ExternalData> external = {};  // of as many bytes as dtype and shape take
  std::vector<std::string> warnings = {};     // lines
};

// Throws the Error for which the bytes up to here are enough, of a message that goes on.
void require_possible_tensor(ProtoMessage front);

// Of a message in memory, which begins at `byte` of its file. Throws Error, which says what the message is
// where its fields are not those of a tensor and that is known; also where the elements are in another file
// unless `may_be_external`.
[[nodiscard]] TensorProtoHeader read_tensor_proto_header(std::span<const std::byte> message,
                                                         std::int64_t byte, bool may_be_external = false);

// How many numbers, or strings, a field of typed data holds. Throws Error.
[[nodiscard]] std::int64_t count_numbers(const ProtoField& field);

// The tensor whose elements are in the typed field of `dtype`, in a message that begins at `byte` of its file
// and has as many of them as `shape` wants. Throws Error naming the first element that is not one.
[[nodiscard]] Tensor decode_typed_data(std::span<const std::byte> message, std::int64_t byte, DType dtype,
                                       const Shape& shape);

}  // namespace tensorop
