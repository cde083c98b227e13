// The fields of TensorProto, for its reader and its writer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/text.hpp"
#include "io/onnx/protobuf.hpp"
#include "tensor/dtype.hpp"

namespace tensorop::tensor_proto {

inline constexpr std::uint32_t kDims = 1;
inline constexpr std::uint32_t kDataType = 2;
inline constexpr std::uint32_t kSegment = 3;
inline constexpr std::uint32_t kFloatData = 4;
inline constexpr std::uint32_t kInt32Data = 5;
inline constexpr std::uint32_t kStringData = 6;
inline constexpr std::uint32_t kInt64Data = 7;
inline constexpr std::uint32_t kName = 8;
inline constexpr std::uint32_t kRawData = 9;
inline constexpr std::uint32_t kDoubleData = 10;
inline constexpr std::uint32_t kUint64Data = 11;
inline constexpr std::uint32_t kDocString = 12;
inline constexpr std::uint32_t kExternalData = 13;
inline constexpr std::uint32_t kDataLocation = 14;
inline constexpr std::uint32_t kNeverAssigned = 15;
inline constexpr std::uint32_t kMetadata = 16;

// Properties of a field.
struct Field {
  std::string_view name = {};
  std::optional<ProtoWire> wire = {};  // of its values; nothing: not checked, since values are skipped
  bool may_be_packed = false;          // several values may be packed as bytes
  bool is_single = false;              // singular: no duplicates in a message
  bool is_data = false;                // contains elements
};

// Indexed by field number.
inline constexpr std::array<Field, 17> kFields = {{
    {},
    {.name = "dims", .wire = ProtoWire::varint, .may_be_packed = true},
    {.name = "data_type", .wire = ProtoWire::varint, .is_single = true},
    {.name = "segment"},
    {.name = "float_data", .wire = ProtoWire::fixed32, .may_be_packed = true, .is_data = true},
    {.name = "int32_data", .wire = ProtoWire::varint, .may_be_packed = true, .is_data = true},
    {.name = "string_data", .wire = ProtoWire::bytes, .is_data = true},
    {.name = "int64_data", .wire = ProtoWire::varint, .may_be_packed = true, .is_data = true},
    {.name = "name", .wire = ProtoWire::bytes, .is_single = true},
    {.name = "raw_data", .wire = ProtoWire::bytes, .is_single = true, .is_data = true},
    {.name = "double_data", .wire = ProtoWire::fixed64, .may_be_packed = true, .is_data = true},
    {.name = "uint64_data", .wire = ProtoWire::varint, .may_be_packed = true, .is_data = true},
    {.name = "doc_string", .wire = ProtoWire::bytes},
    {.name = "external_data", .wire = ProtoWire::bytes},
    {.name = "data_location", .wire = ProtoWire::varint, .is_single = true},
    {},
    {.name = "metadata_props", .wire = ProtoWire::bytes},
}};

// An unknown field has no properties.
[[nodiscard]] constexpr const Field& field_of(std::uint32_t number) {
  return kFields[number < kFields.size() ? number : 0];
}

inline constexpr auto kNames = [] {
  std::array<ProtoName, kFields.size()> names{};
  for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = {i, kFields[i].name};
  return names;
}();

// The message for an unsupported data type: "data type 25 (UINT2) is not read".
[[nodiscard]] inline std::string refused_data_type(std::int64_t number) {
  const std::string_view onnx = number == 0    ? "UNDEFINED"
                                : number == 25 ? "UINT2"
                                : number == 26 ? "INT2"
                                               : "";
  return onnx.empty() ? cat("data type ", number, " is not known")
                      : cat("data type ", number, " (", onnx, ") is not read");
}

// The typed field (not raw_data) for elements of the dtype.
[[nodiscard]] constexpr std::uint32_t typed_field(DType dtype) {
  switch (dtype) {
    case DType::float32:
    case DType::complex64:
      return kFloatData;
    case DType::float64:
    case DType::complex128:
      return kDoubleData;
    case DType::int64:
      return kInt64Data;
    case DType::uint32:
    case DType::uint64:
      return kUint64Data;
    case DType::string:
      return kStringData;
    default:
      return kInt32Data;
  }
}

}  // namespace tensorop::tensor_proto
