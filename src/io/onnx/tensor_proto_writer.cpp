#include <span>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"
#include "io/onnx/tensor_proto.hpp"
#include "io/onnx/tensor_proto_fields.hpp"
#include "io/onnx/tensor_proto_header.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;

void append_strings(std::string& out, std::span<const StringRef> strings) {
  for (const StringRef& string : strings) append_proto_bytes(out, field::kStringData, string.view());
}

void require_possible(const Encoding& encoding, DType dtype) {
  const std::int64_t around = to_int64(encoding.prefix.size() + encoding.suffix.size());
  const std::int64_t bytes = saturated(checked_add(around, encoding.least_bytes));
  if (bytes <= kMostProtoBytes) return;
  throw Error(cat("the TensorProto would have ", bytes, " bytes; readers of protobuf accept at most ",
                  kMostProtoBytes),
              "",
              cat(join_words(format_endings([&](const Format& format) {
                               return format.is_binary && !format.limits_bytes &&
                                      !format.missing.contains(dtype);
                             }),
                             "and"),
                  " files may be larger"));
}

}  // namespace

Encoding tensor_proto_encoding(DType dtype, const Shape& shape, std::int64_t strings, std::string_view name) {
  Encoding encoding = dtype == DType::string ? Encoding{} : packed_encoding(dtype, shape);
  for (const std::int64_t dim : shape) append_proto_integer(encoding.prefix, field::kDims, dim);
  append_proto_integer(encoding.prefix, field::kDataType, info(dtype).onnx);
  // Fields are in ascending order: strings come before the name, raw_data after it.
  std::string& around = dtype == DType::string ? encoding.suffix : encoding.prefix;
  if (!name.empty()) append_proto_bytes(around, field::kName, name);
  if (dtype == DType::string) {
    encoding.least_bytes = strings;
    encoding.encode = [](std::int64_t /*first*/, std::int64_t count, const std::byte* elements,
                         std::string& out) {
      append_strings(out, {reinterpret_cast<const StringRef*>(elements), to_size(count)});
    };
    require_possible(encoding, dtype);
    return encoding;
  }
  append_proto_length(encoding.prefix, field::kRawData, encoding.least_bytes);
  require_possible(encoding, dtype);
  return encoding;
}

std::int64_t tensor_proto_string_bytes(std::span<const StringRef> strings) {
  std::int64_t bytes = 0;
  for (const StringRef& string : strings) bytes += proto_field_bytes(field::kStringData, string.size);
  return bytes;
}

}  // namespace tensorop
