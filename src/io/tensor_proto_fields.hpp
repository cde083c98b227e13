// The fields of TensorProto: their numbers, names and wire types. For its reader and its writer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"
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

inline constexpr std::array<std::string_view, 17> kNames = {"",
                                                            "dims",
                                                            "data_type",
                                                            "segment",
                                                            "float_data",
                                                            "int32_data",
                                                            "string_data",
                                                            "int64_data",
                                                            "name",
                                                            "raw_data",
                                                            "double_data",
                                                            "uint64_data",
                                                            "doc_string",
                                                            "external_data",
                                                            "data_location",
                                                            "",
                                                            "metadata_props"};

// What is wrong with a data type that is none of a dtype: "data type 25 (UINT2) is not read".
[[nodiscard]] inline std::string refused_data_type(std::int64_t number) {
  const std::string_view onnx = number == 0    ? "UNDEFINED"
                                : number == 25 ? "UINT2"
                                : number == 26 ? "INT2"
                                               : "";
  return onnx.empty() ? cat("data type ", number, " is not known")
                      : cat("data type ", number, " (", onnx, ") is not read");
}

// The field, beside raw_data, that holds elements of that dtype.
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
