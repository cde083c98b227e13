// TensorProto, the message in which ONNX keeps a tensor: files .pb and .tensorproto, and parts of models.
// Source: onnx.proto of ONNX 1.22; section 1 of the specification of formats; docs/formats.md.
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

// The tensor of a message, a part of `file` or all of it, that begins at `byte` of its file. All fields are
// checked, in any order. Data in another file is refused unless `may_be_external`: then ArrayEntry::file is
// where that is, from the folder of the model, and no file is opened. Throws Error.
[[nodiscard]] ArrayEntry tensor_proto_entry(std::span<const std::byte> message, std::int64_t byte,
                                            const std::shared_ptr<const MappedFile>& file,
                                            bool may_be_external = false);
// Its elements. Those in raw_data stay where they are; all others go into memory. Throws Error.
[[nodiscard]] Tensor decode_tensor_proto(const ArrayEntry& array, std::span<const std::byte> message,
                                         std::int64_t byte, const ArrayReading& reading);
// The name alone, any bytes, without a look at elements. Empty where there is none, or the message is
// malformed up to there.
[[nodiscard]] std::string tensor_proto_name(std::span<const std::byte> message);

// The message that onnx.numpy_helper.from_array() makes, byte for byte. `strings`: what
// tensor_proto_string_bytes() says of the elements. Throws Error where the message would be longer than
// readers of protobuf accept.
[[nodiscard]] Encoding tensor_proto_encoding(DType dtype, const Shape& shape, std::int64_t strings,
                                             std::string_view name = {});
[[nodiscard]] std::int64_t tensor_proto_string_bytes(std::span<const StringRef> strings);

}  // namespace tensorop
