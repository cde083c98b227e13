#include "tensor/dtype.hpp"

namespace tensorop {
namespace {

using enum DTypeKind;

constexpr std::array<DTypeInfo, kDTypeCount> kTable = {{
    {DType::boolean, "bool", "|b1", boolean, 1, 1},
    {DType::int8, "int8", "|i1", signed_integer, 1, 1},
    {DType::int16, "int16", "<i2", signed_integer, 2, 2},
    {DType::int32, "int32", "<i4", signed_integer, 4, 4},
    {DType::int64, "int64", "<i8", signed_integer, 8, 8},
    {DType::uint8, "uint8", "|u1", unsigned_integer, 1, 1},
    {DType::uint16, "uint16", "<u2", unsigned_integer, 2, 2},
    {DType::uint32, "uint32", "<u4", unsigned_integer, 4, 4},
    {DType::uint64, "uint64", "<u8", unsigned_integer, 8, 8},
    {DType::float16, "float16", "<f2", floating, 2, 2},
    {DType::bfloat16, "bfloat16", "<V2", floating, 2, 2},
    {DType::float32, "float32", "<f4", floating, 4, 4},
    {DType::float64, "float64", "<f8", floating, 8, 8},
    {DType::complex64, "complex64", "<c8", complex, 8, 4},
    {DType::complex128, "complex128", "<c16", complex, 16, 8},
    {DType::string, "string", "", string, 16, 8},
}};

}  // namespace

const DTypeInfo& info(DType dtype) {
  return kTable[static_cast<std::size_t>(dtype)];
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& row : kTable) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::string DTypeSet::names() const {
  std::string out;
  for (const DTypeInfo& row : kTable) {
    if (!contains(row.dtype)) continue;
    if (!out.empty()) out += ", ";
    out += row.name;
  }
  return out;
}

}  // namespace tensorop
