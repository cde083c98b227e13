#include "tensor/dtype.hpp"

#include <algorithm>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// Names of the dtypes in other programs, in addition to the codes in the table.
struct DTypeAlias {
  std::string_view text;
  DType dtype;
};
constexpr DTypeAlias kDTypeAliases[] = {
    {"?", DType::boolean},
    {"boolean", DType::boolean},
    {"bool_", DType::boolean},
    {"byte", DType::uint8},
    {"long", DType::int64},
    {"complex", DType::complex128},
    {"half", DType::float16},
    {"fp16", DType::float16},
    {"float", DType::float32},
    {"fp32", DType::float32},
    {"single", DType::float32},
    {"double", DType::float64},
    {"fp64", DType::float64},
    {"str", DType::string},
    {"f8e4m3", DType::float8_e4m3fn},
    {"f8e5m2", DType::float8_e5m2},
    {"f8e8m0", DType::float8_e8m0fnu},
    {"f4e2m1", DType::float4_e2m1fn},
};

// The names of TensorProto.DataType, in lower case.
constexpr DTypeAlias kOnnxNames[] = {
    {"float8e4m3fn", DType::float8_e4m3fn},
    {"float8e4m3fnuz", DType::float8_e4m3fnuz},
    {"float8e5m2", DType::float8_e5m2},
    {"float8e5m2fnuz", DType::float8_e5m2fnuz},
    {"float8e8m0", DType::float8_e8m0fnu},
    {"float4e2m1", DType::float4_e2m1fn},
    {"int4", DType::int4},
    {"uint4", DType::uint4},
};

// Whether `folded` is the code of NumPy ("f4") or, for multi-byte numbers, of safetensors ("f32").
bool has_code(const DTypeInfo& row, std::string_view folded) {
  const bool is_wide_number = kNumericTypes.contains(row.dtype) && row.size > 1;
  return npy_code(row) == folded || (is_wide_number && lower(row.safetensors) == folded);
}

}  // namespace

std::optional<std::string_view> npy_code(const DTypeInfo& row) {
  if (row.npy.empty() || row.npy[1] == 'V') return std::nullopt;
  return row.npy.substr(1);
}

std::optional<DType> parse_dtype(std::string_view name) {
  const auto* const row = std::ranges::find(kDTypes, name, &DTypeInfo::name);
  return row == kDTypes.end() ? std::nullopt : std::optional(row->dtype);
}

DType read_dtype(std::string_view text, std::string_view rule) {
  if (const auto dtype = parse_dtype(text)) return *dtype;
  std::string folded = lower(text);
  for (const auto& [onnx, dtype] : kOnnxNames) {
    if (folded == onnx) return dtype;
  }
  if (folded.starts_with('<') || folded.starts_with('|') || folded.starts_with('=')) folded.erase(0, 1);
  std::string near;
  std::vector<std::string> names;
  for (const DTypeInfo& row : kDTypes) {
    names.emplace_back(row.name);
    if (has_code(row, folded)) near = row.name;
  }
  for (const auto& [other, dtype] : kDTypeAliases) {
    if (folded == other) near = name(dtype);
  }
  if (folded == "int" || folded == "integer") near = "int64 or int32";
  if (near.empty()) near = nearest(folded, names);
  throw Error(cat("dtype ", in_quotes(text), " is not one of ", kAllTypes.names()), rule,
              near.empty() ? "" : cat("did you mean ", near, "?"));
}

std::string DTypeSet::names() const {
  std::string out;
  for (const DTypeInfo& row : kDTypes) {
    if (!contains(row.dtype)) continue;
    if (!out.empty()) out += ", ";
    out += row.name;
  }
  return out;
}

}  // namespace tensorop
