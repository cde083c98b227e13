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
#include "io/onnx/tensor_proto_fields.hpp"
#include "io/onnx/tensor_proto_header.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;
using Bytes = std::span<const std::byte>;

// The tensor of a message whose header was read.
Tensor make_tensor(const TensorProtoHeader& header, Bytes message, std::int64_t byte,
                   const std::shared_ptr<const MappedFile>& file, const ArrayReading& reading) {
  const DType dtype = header.dtype;
  const Shape& shape = header.shape;
  for (const std::string& line : header.warnings) {
    if (reading.warn) reading.warn(line);
  }
  if (reading.header_only) return {dtype, shape};
  if (count(shape) == 0) return {dtype, shape, std::make_shared<Storage>(0)};
  if (header.data_field != field::kRawData) {
    return decode_typed_data(message, byte, dtype, shape);
  }
  // The shape takes as many bytes: the header has checked it.
  return read_stored(packed_array(dtype, shape), header.raw.data(), file, reading);
}

bool is_text_with_blanks(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : byte >= '\t' && byte <= '\r';
  });
}

// Whether a file that begins with `head` can only be a TensorProto, among
// what tensorop reads: it begins with a dimension or the data type, and not as JSON does after a newline.
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

// Reading on changes nothing after a field that no tensor has.
std::int64_t tensor_proto_enough(std::string_view head) {
  try {
    require_possible_tensor(ProtoMessage(text_bytes(head), 0, field::kNames));
    return StreamReading::kUnknown;
  } catch (const Error&) {
    return 0;
  }
}

FileInfo describe_header(const TensorProtoHeader& header) {
  FileInfo file;
  file.dtype = header.dtype;
  file.shape = header.shape;
  file.stored = field::field_of(header.data_field).name;
  file.bytes =
      header.dtype == DType::string ? header.string_bytes : *packed_bytes(header.dtype, count(header.shape));
  file.name = header.name;
  file.warnings = header.warnings;
  return file;
}

FileInfo describe_tensor_proto(const InputFile& file) {
  return describe_header(read_tensor_proto_header(file.bytes(), 0));
}

std::string tensor_proto_remarks(Bytes message) {
  std::vector<std::string> out;
  for (const std::uint32_t number : {field::kDocString, field::kMetadata}) {
    bool is_there = false;
    for (ProtoMessage fields(message, 0, field::kNames); fields.next();)
      is_there = is_there || fields.field().number() == number;
    if (is_there) out.emplace_back(field::field_of(number).name);
  }
  return join(out, " and ");
}

}  // namespace

Tensor read_tensor_proto(Bytes message, std::int64_t byte, const std::shared_ptr<const MappedFile>& file,
                         const ArrayReading& reading) {
  return make_tensor(read_tensor_proto_header(message, byte), message, byte, file, reading);
}

FileInfo describe_initializer(Bytes message, std::int64_t byte) {
  const TensorProtoHeader header = read_tensor_proto_header(message, byte, true);
  FileInfo file = describe_header(header);
  file.name.clear();
  if (header.external) {
    file.stored = "raw_data";
    file.file = header.external->location;
  }
  return file;
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

constinit const Format kTensorProtoFormat = {
    .name = "pb",
    .title = "TensorProto",
    .article = "a",
    .endings = {".pb", ".tensorproto"},
    .detects = begins_as_tensor_proto,
    .may_be = may_be_tensor_proto,
    .is_binary = true,
    .enough_bytes = tensor_proto_enough,
    .read =
        [](const InputFile& file, const ArrayReading& reading) {
          return read_tensor_proto(file.bytes(), 0, file.mapping(), reading);
        },
    .describe = describe_tensor_proto,
    .encode = tensor_proto_encoding,
    .measure_strings = tensor_proto_string_bytes,
    .names_array = true,
    .remarks = tensor_proto_remarks,
    .limits_bytes = true,
};

}  // namespace tensorop
