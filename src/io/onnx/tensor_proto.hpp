// TensorProto, ONNX's message for a tensor: files .pb and .tensorproto, and parts of models. Source:
// onnx.proto of ONNX 1.22; docs/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/files/input_file.hpp"
#include "io/array/array_reading.hpp"
#include "io/array/encoding.hpp"
#include "io/array/entry.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The entry of the tensor in `message`, a part of `file` or all of it, at offset `byte` of the file. Checks
// all fields, in any order. External data is refused unless `may_be_external`: then ArrayEntry::file is its
// path relative to the model's folder, and no file is opened. Throws Error.
[[nodiscard]] ArrayEntry tensor_proto_entry(std::span<const std::byte> message, std::int64_t byte,
                                            const std::shared_ptr<const MappedFile>& file,
                                            bool may_be_external = false);
// The tensor of the entry. Elements in raw_data stay in place; all others are decoded into memory. Throws
// Error.
[[nodiscard]] Tensor decode_tensor_proto(const ArrayEntry& array, std::span<const std::byte> message,
                                         std::int64_t byte, const ArrayReading& reading);
// Only the name, any bytes. Empty if there is none, or if the message is malformed before it.
[[nodiscard]] std::string tensor_proto_name(std::span<const std::byte> message);

// Exactly the message that onnx.numpy_helper.from_array() makes. `strings`: the result of
// tensor_proto_string_bytes() for the elements. Throws Error if the message would exceed the limit of
// protobuf parsers.
[[nodiscard]] Encoding tensor_proto_encoding(DType dtype, const Shape& shape, std::int64_t strings,
                                             std::string_view name = {});
[[nodiscard]] std::int64_t tensor_proto_string_bytes(std::span<const StringRef> strings);

}  // namespace tensorop
