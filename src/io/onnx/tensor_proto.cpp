// A message is looked over once, field by field (io/onnx/tensor_proto_header.hpp), which finds everything but
// the values of elements; then its elements are used where they lie, or decoded.
#include "io/onnx/tensor_proto.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/format.hpp"
#include "io/npy/stored_array.hpp"
#include "io/onnx/tensor_proto_data.hpp"
#include "io/onnx/tensor_proto_fields.hpp"
#include "io/onnx/tensor_proto_header.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;
using Bytes = std::span<const std::byte>;

constexpr std::int64_t kStreamBlock = 1 << 20;

// The bytes of raw_data, which arrives, where `reading` says; none where elements are not wanted.
Tensor take_raw(ProtoMessage& message, const ArrayReading& reading) {
  const std::int64_t bytes = message.field().length();
  const ByteStream stream = {[&message, left = to_size(bytes)](std::span<std::byte> buffer) mutable {
    const auto part = buffer.first(std::min(buffer.size(), left));
    message.read(part);
    left -= part.size();
    return part.size();
  }};
  if (reading.header_only) {
    std::vector<std::byte> block(to_size(std::min(kStreamBlock, bytes)));
    while (stream.read(block) != 0) {
    }
    return {};
  }
  // As bytes: the dtype may be yet to come.
  ArrayReading as_bytes = reading;
  as_bytes.direct = nullptr;
  return read_stored({.dtype = DType::uint8, .item_bytes = 1, .shape = {bytes}}, stream, as_bytes);
}

// The tensor of a message. `raw`: the bytes of raw_data, where it has them and elements are wanted.
NamedTensor make_tensor(const TensorProtoHeader& header, Bytes message, std::int64_t byte, const Tensor& raw,
                        const ArrayReading& reading) {
  const DType dtype = header.dtype();
  const Shape& shape = header.shape();
  if (reading.warn && !header.warning().empty()) reading.warn(header.warning());
  if (reading.header_only) return {header.name(), {dtype, shape}};
  if (count(shape) == 0) return {header.name(), {dtype, shape, std::make_shared<Storage>(0)}};
  if (header.data_field() != field::kRawData) {
    return {header.name(), decode_typed_data(message, byte, dtype, shape)};
  }
  if (info(dtype).bits < 8) {
    return {header.name(), unpacked_tensor(dtype, shape, {raw.data(), to_size(raw.size())})};
  }
  // The shape takes as many bytes: the header has checked it.
  return {header.name(), raw.viewed_as(dtype).reshaped(shape)};
}

ProtoStream::Read read_of(InputFile& file) {
  return [&file](std::span<std::byte> buffer) { return file.read_some(buffer); };
}

FileInfo describe(const TensorProtoHeader& header) {
  FileInfo file;
  file.dtype = header.dtype();
  file.shape = header.shape();
  file.stored = field::field_of(header.data_field()).name;
  file.bytes = header.dtype() == DType::string ? header.string_bytes()
                                               : *packed_bytes(header.dtype(), count(header.shape()));
  file.name = header.name();
  if (!header.warning().empty()) file.warnings.push_back(header.warning());
  return file;
}

bool is_text_with_blanks(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : byte >= '\t' && byte <= '\r';
  });
}

// Enough of the first bytes for it. Whether a file that begins with `head` can only be a TensorProto, among
// what tensorop reads: it begins with a dimension or the data type, and not as JSON does after a newline.
constexpr std::size_t kDetectBytes = 8;
bool begins_as_tensor_proto(std::string_view head) {
  if (head.empty()) return false;
  if (head[0] == '\x08' || head[0] == '\x10') return true;
  if (head[0] != '\x0a') return false;
  const std::string_view text = after_blanks(head);
  constexpr std::string_view kJsonBegins = "{[\"-0123456789tfn";
  return !text.empty() && kJsonBegins.find(text[0]) == std::string_view::npos && !is_text_with_blanks(text);
}

// The same of a file that is named as one: any message, and nothing, but no text.
bool may_be_tensor_proto(std::string_view head) {
  return head.empty() || !is_text_with_blanks(head);
}

}  // namespace

NamedTensor read_tensor_proto(Bytes message, std::int64_t byte, std::shared_ptr<const void> owner,
                              const ArrayReading& reading) {
  const TensorProtoHeader header = read_tensor_proto_header(message, byte);
  const Bytes raw = header.raw();
  return make_tensor(header, message, byte,
                     {DType::uint8, {to_int64(raw.size())}, raw.data(), std::move(owner)}, reading);
}

NamedTensor read_tensor_proto(ProtoStream::Read read, const ArrayReading& reading) {
  ProtoStream stream(std::move(read));
  Tensor raw;
  const TensorProtoHeader header(ProtoMessage(stream, field::kNames),
                                 [&](ProtoMessage& message) { raw = take_raw(message, reading); });
  return make_tensor(header, stream.kept(), 0, raw, reading);
}

std::string tensor_proto_name(Bytes message) {
  try {
    for (ProtoMessage fields(message, 0, field::kNames); fields.next();) {
      if (fields.field().number() == field::kName) return std::string(fields.field().text());
    }
  } catch (const Error&) {  // reading the tensor says what is wrong
  }
  return {};
}

Tensor read_tensor_proto(InputFile& file, const ArrayReading& reading) {
  return (file.mapping() ? read_tensor_proto(file.mapping()->bytes(), 0, file.mapping(), reading)
                         : read_tensor_proto(read_of(file), reading))
      .tensor;
}

namespace {

FileInfo describe_tensor_proto(InputFile& file) {
  if (file.mapping()) return describe(read_tensor_proto_header(file.mapping()->bytes(), 0));
  ProtoStream stream(read_of(file));
  return describe(TensorProtoHeader(ProtoMessage(stream, field::kNames), [](ProtoMessage& message) {
    (void)take_raw(message, {.header_only = true});
  }));
}

}  // namespace

constinit const Format kTensorProtoFormat = {
    .name = "pb",
    .title = "TensorProto",
    .article = "a",
    .endings = {".pb", ".tensorproto"},
    .detect_bytes = kDetectBytes,
    .detects = begins_as_tensor_proto,
    .may_be = may_be_tensor_proto,
    .is_binary = true,
    .read = read_tensor_proto,
    .describe = describe_tensor_proto,
    .encode = tensor_proto_encoding,
    .measure_strings = tensor_proto_string_bytes,
    .encode_named = named_tensor_proto_encoding,
    .limits_bytes = true,
};

}  // namespace tensorop
