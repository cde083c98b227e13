// A first pass over the fields (io/onnx/tensor_proto_header.hpp) finds everything except the element values;
// then the elements are used in place, or decoded.
#include "io/onnx/tensor_proto.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"
#include "io/onnx/tensor_proto_fields.hpp"
#include "io/onnx/tensor_proto_header.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;
using Bytes = std::span<const std::byte>;

// Whether a file that begins with `head` can only be a TensorProto, among the supported formats: it begins
// with a dimension or the data type, and not like JSON after a newline.
bool begins_as_tensor_proto(std::string_view head) {
  if (head.empty()) return false;
  if (head[0] == '\x08' || head[0] == '\x10') return true;
  if (head[0] != '\x0a') return false;
  const std::string_view text = after_blanks(head);
  constexpr std::string_view kJsonBegins = "{[\"-0123456789tfn";
  return !text.empty() && kJsonBegins.find(text[0]) == std::string_view::npos && !is_text(text);
}

// A field that no tensor has needs no more bytes.
std::int64_t tensor_proto_enough(std::string_view head) {
  try {
    require_possible_tensor(ProtoMessage(text_bytes(head), 0, field::kNames));
    return StreamReading::kUnknown;
  } catch (const Error&) {
    return 0;
  }
}

class TensorProtoFile final : public Archive {
 public:
  explicit TensorProtoFile(const std::shared_ptr<const MappedFile>& file)
      : Archive(tensor_proto_entry(file->bytes(), 0, file)) {}

 private:
  [[nodiscard]] Tensor decode(const ArrayEntry& array, const ArrayReading& reading) const override {
    return decode_tensor_proto(array, array.owner->bytes(), 0, reading);
  }
};

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

ArrayEntry tensor_proto_entry(Bytes message, std::int64_t byte, const std::shared_ptr<const MappedFile>& file,
                              bool may_be_external) {
  TensorProtoHeader header = read_tensor_proto_header(message, byte, may_be_external);
  ArrayEntry out = packed_entry(header.dtype, header.shape);
  const std::uint32_t data_field = header.external ? field::kRawData : header.data_field;
  out.stored = field::field_of(data_field).name;
  if (header.dtype == DType::string) out.bytes = header.string_bytes;
  if (header.external) {
    out.file = std::move(header.external->location);
    out.offset = header.external->offset;
  } else {
    out.owner = file;
    if (data_field == field::kRawData) {
      out.offset = byte + (header.raw.data() - message.data());
    } else {
      out.encoding = StoredEncoding::fields;
    }
  }
  out.name = std::move(header.name);
  out.warnings = std::move(header.warnings);
  return out;
}

Tensor decode_tensor_proto(const ArrayEntry& array, Bytes message, std::int64_t byte,
                           const ArrayReading& reading) {
  if (array.encoding != StoredEncoding::fields) return read_stored(array, reading);
  return decode_typed_data(message, byte, *array.dtype, array.shape);
}

std::string tensor_proto_name(Bytes message) {
  try {
    for (ProtoMessage fields(message, 0, field::kNames); fields.next();) {
      if (fields.field().number() == field::kName) return std::string(fields.field().text());
    }
  } catch (const Error&) {  // reading the tensor reports the error
  }
  return {};
}

constinit const Format kTensorProtoFormat = {
    .name = "pb",
    .title = "TensorProto",
    .article = "a",
    .endings = {".pb", ".tensorproto"},
    .detects = begins_as_tensor_proto,
    .is_binary = true,
    .enough_bytes = tensor_proto_enough,
    .open = [](const InputFile& file) -> std::unique_ptr<Archive> {
      return std::make_unique<TensorProtoFile>(file.mapping());
    },
    .encode = tensor_proto_encoding,
    .measure_strings = tensor_proto_string_bytes,
    .names_array = true,
    .remarks = tensor_proto_remarks,
    .limits_bytes = true,
};

}  // namespace tensorop
