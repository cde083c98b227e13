// The dtypes: one table for names, sizes and codes of formats, sets of dtypes, and dispatch to the
// types of their elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/element.hpp"

namespace tensorop {

enum class DType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  string,
  float8_e4m3fn,
  float8_e4m3fnuz,
  float8_e5m2,
  float8_e5m2fnuz,
  float8_e8m0fnu,
  float4_e2m1fn,
  int4,
  uint4,
};
inline constexpr int kDTypeCount = 24;

// The small ones are data alone (tensor/small_number.hpp): no arithmetic, no order, no indices.
enum class DTypeKind : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  string,
  small_floating,
  small_integer,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;         // "float32": the command line, JSON and messages
  std::string_view npy;          // "<f4": the descr of an NPY header; string has none, its width varies
  int onnx;                      // data_type of TensorProto
  std::string_view safetensors;  // "F32"; empty where the format does not have the dtype
  DTypeKind kind;
  int size;  // bytes per element, in memory
  int bits;  // of an element where several are packed in a byte; else 8 * size
};

// Everything that is known of a dtype but its C++ type, which dispatch() gives. A format of its own codes
// adds a column.
inline constexpr std::array<DTypeInfo, kDTypeCount> kDTypes = {{
    {DType::boolean, "bool", "|b1", 9, "BOOL", DTypeKind::boolean, 1, 8},
    {DType::int8, "int8", "|i1", 3, "I8", DTypeKind::signed_integer, 1, 8},
    {DType::int16, "int16", "<i2", 5, "I16", DTypeKind::signed_integer, 2, 16},
    {DType::int32, "int32", "<i4", 6, "I32", DTypeKind::signed_integer, 4, 32},
    {DType::int64, "int64", "<i8", 7, "I64", DTypeKind::signed_integer, 8, 64},
    {DType::uint8, "uint8", "|u1", 2, "U8", DTypeKind::unsigned_integer, 1, 8},
    {DType::uint16, "uint16", "<u2", 4, "U16", DTypeKind::unsigned_integer, 2, 16},
    {DType::uint32, "uint32", "<u4", 12, "U32", DTypeKind::unsigned_integer, 4, 32},
    {DType::uint64, "uint64", "<u8", 13, "U64", DTypeKind::unsigned_integer, 8, 64},
    {DType::float16, "float16", "<f2", 10, "F16", DTypeKind::floating, 2, 16},
    {DType::bfloat16, "bfloat16", "<V2", 16, "BF16", DTypeKind::floating, 2, 16},
    {DType::float32, "float32", "<f4", 1, "F32", DTypeKind::floating, 4, 32},
    {DType::float64, "float64", "<f8", 11, "F64", DTypeKind::floating, 8, 64},
    {DType::complex64, "complex64", "<c8", 14, "C64", DTypeKind::complex, 8, 64},
    {DType::complex128, "complex128", "<c16", 15, "", DTypeKind::complex, 16, 128},
    {DType::string, "string", "", 8, "", DTypeKind::string, 16, 128},
    {DType::float8_e4m3fn, "float8_e4m3fn", "<V1", 17, "F8_E4M3", DTypeKind::small_floating, 1, 8},
    {DType::float8_e4m3fnuz, "float8_e4m3fnuz", "<V1", 18, "F8_E4M3FNUZ", DTypeKind::small_floating, 1, 8},
    {DType::float8_e5m2, "float8_e5m2", "<V1", 19, "F8_E5M2", DTypeKind::small_floating, 1, 8},
    {DType::float8_e5m2fnuz, "float8_e5m2fnuz", "<V1", 20, "F8_E5M2FNUZ", DTypeKind::small_floating, 1, 8},
    {DType::float8_e8m0fnu, "float8_e8m0fnu", "<V1", 24, "F8_E8M0", DTypeKind::small_floating, 1, 8},
    {DType::float4_e2m1fn, "float4_e2m1fn", "<V1", 23, "F4", DTypeKind::small_floating, 1, 4},
    {DType::int4, "int4", "<V1", 22, "", DTypeKind::small_integer, 1, 4},
    {DType::uint4, "uint4", "<V1", 21, "", DTypeKind::small_integer, 1, 4},
}};

// The row of `dtype`.
[[nodiscard]] constexpr const DTypeInfo& info(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}
[[nodiscard]] constexpr std::string_view name(DType dtype) {
  return info(dtype).name;
}
[[nodiscard]] constexpr int element_size(DType dtype) {
  return info(dtype).size;
}

// The dtype of that name ("float32"); nothing where there is none.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);
// The same of text that a user typed, of the small dtypes also ONNX's names in any case
// ("FLOAT8E4M3FN"). Throws Error [rule] where there is none, with the dtype of that name in
// other programs ("f4", "double"), or the nearest name, as a hint.
[[nodiscard]] DType read_dtype(std::string_view text, std::string_view rule = {});

// A set of dtypes.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(DType dtype) : bits_(1U << static_cast<unsigned>(dtype)) {}
  constexpr DTypeSet(std::initializer_list<DTypeSet> sets) {
    for (const DTypeSet set : sets) bits_ |= set.bits_;
  }
  [[nodiscard]] constexpr bool contains(DType dtype) const {
    return (bits_ >> static_cast<unsigned>(dtype) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr DTypeSet without(DTypeSet other) const { return from_bits(bits_ & ~other.bits_); }
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) { return from_bits(a.bits_ | b.bits_); }
  friend constexpr bool operator==(DTypeSet, DTypeSet) = default;
  // "int32, int64", in the order of the enum.
  [[nodiscard]] std::string names() const;

 private:
  static constexpr DTypeSet from_bits(unsigned bits) {
    DTypeSet set;
    set.bits_ = bits;
    return set;
  }
  unsigned bits_ = 0;
};

// All dtypes of these kinds.
[[nodiscard]] constexpr DTypeSet types_of(std::initializer_list<DTypeKind> kinds) {
  DTypeSet set;
  for (const DTypeInfo& row : kDTypes) {
    for (const DTypeKind kind : kinds) {
      if (row.kind == kind) set = set | row.dtype;
    }
  }
  return set;
}

// The sets of section 0 of the specification, as far as tensorop has dtypes: they grow with the table. What
// published versions allow is in ops/published_types.hpp. The small dtypes are in none of them but kAllTypes.
inline constexpr DTypeSet kSignedTypes = types_of({DTypeKind::signed_integer});
inline constexpr DTypeSet kUnsignedTypes = types_of({DTypeKind::unsigned_integer});
inline constexpr DTypeSet kIntegerTypes = kSignedTypes | kUnsignedTypes;
inline constexpr DTypeSet kFloatTypes = types_of({DTypeKind::floating});
inline constexpr DTypeSet kNumericTypes = kIntegerTypes | kFloatTypes;
inline constexpr DTypeSet kComplexTypes = types_of({DTypeKind::complex});
inline constexpr DTypeSet kSmallFloatTypes = types_of({DTypeKind::small_floating});
inline constexpr DTypeSet kSmallIntegerTypes = types_of({DTypeKind::small_integer});
inline constexpr DTypeSet kSmallTypes = kSmallFloatTypes | kSmallIntegerTypes;
inline constexpr DTypeSet kAllTypes =
    kNumericTypes | kComplexTypes | kSmallTypes | types_of({DTypeKind::boolean, DTypeKind::string});

template <class T>
struct TypeTag {
  using type = T;
};

// Calls f(TypeTag<T>{}) with the C++ type that holds an element of `dtype`. The one switch over dtypes.
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean:
      return f(TypeTag<Bool>{});
    case DType::int8:
      return f(TypeTag<std::int8_t>{});
    case DType::int16:
      return f(TypeTag<std::int16_t>{});
    case DType::int32:
      return f(TypeTag<std::int32_t>{});
    case DType::int64:
      return f(TypeTag<std::int64_t>{});
    case DType::uint8:
      return f(TypeTag<std::uint8_t>{});
    case DType::uint16:
      return f(TypeTag<std::uint16_t>{});
    case DType::uint32:
      return f(TypeTag<std::uint32_t>{});
    case DType::uint64:
      return f(TypeTag<std::uint64_t>{});
    case DType::float16:
      return f(TypeTag<Float16>{});
    case DType::bfloat16:
      return f(TypeTag<BFloat16>{});
    case DType::float32:
      return f(TypeTag<float>{});
    case DType::float64:
      return f(TypeTag<double>{});
    case DType::complex64:
      return f(TypeTag<std::complex<float>>{});
    case DType::complex128:
      return f(TypeTag<std::complex<double>>{});
    case DType::string:
      return f(TypeTag<StringRef>{});
    case DType::float8_e4m3fn:
      return f(TypeTag<Float8E4M3FN>{});
    case DType::float8_e4m3fnuz:
      return f(TypeTag<Float8E4M3FNUZ>{});
    case DType::float8_e5m2:
      return f(TypeTag<Float8E5M2>{});
    case DType::float8_e5m2fnuz:
      return f(TypeTag<Float8E5M2FNUZ>{});
    case DType::float8_e8m0fnu:
      return f(TypeTag<Float8E8M0FNU>{});
    case DType::float4_e2m1fn:
      return f(TypeTag<Float4E2M1FN>{});
    case DType::int4:
      return f(TypeTag<Int4>{});
    case DType::uint4:
      return f(TypeTag<UInt4>{});
  }
  __builtin_unreachable();
}

// Calls f(TypeTag<Word>{}) with the type that stands for any element of `width` bytes (1, 2, 4, 8 or 16)
// where elements are moved as they are. The one switch over element widths. Words, not arrays of bytes: GCC
// vectorizes loops over words (measured: choosing between elements of up to 4 bytes is 6 to 17 times as fast,
// filling with elements of up to 8 bytes 2 to 25 times).
template <class F>
decltype(auto) dispatch_width(std::int64_t width, F&& f) {
  switch (width) {
    case 1:
      return f(TypeTag<std::uint8_t>{});
    case 2:
      return f(TypeTag<std::uint16_t>{});
    case 4:
      return f(TypeTag<std::uint32_t>{});
    case 8:
      return f(TypeTag<std::uint64_t>{});
    case 16:
      return f(TypeTag<Word128>{});
  }
  __builtin_unreachable();
}

}  // namespace tensorop
