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

// Everything that is known of a dtype; a format of its own codes adds a column:
// - the enumerator, the C++ type of an element in memory, its kind;
// - "float32": the name on the command line, in JSON and in messages;
// - "<f4": the descr of an NPY header; string has none, its width varies;
// - data_type of TensorProto;
// - "F32": the name in safetensors, empty if the format does not have the dtype;
// - the bits of an element in files: 4 if two are packed in a byte.
// A macro, because one row makes an enumerator, a line of kDTypes, a case of dispatch() and instantiations.
#define TENSOROP_NUMBERS(ROW)                                                  \
  ROW(int8, std::int8_t, signed_integer, "int8", "|i1", 3, "I8", 8)            \
  ROW(int16, std::int16_t, signed_integer, "int16", "<i2", 5, "I16", 16)       \
  ROW(int32, std::int32_t, signed_integer, "int32", "<i4", 6, "I32", 32)       \
  ROW(int64, std::int64_t, signed_integer, "int64", "<i8", 7, "I64", 64)       \
  ROW(uint8, std::uint8_t, unsigned_integer, "uint8", "|u1", 2, "U8", 8)       \
  ROW(uint16, std::uint16_t, unsigned_integer, "uint16", "<u2", 4, "U16", 16)  \
  ROW(uint32, std::uint32_t, unsigned_integer, "uint32", "<u4", 12, "U32", 32) \
  ROW(uint64, std::uint64_t, unsigned_integer, "uint64", "<u8", 13, "U64", 64) \
  ROW(float16, Float16, floating, "float16", "<f2", 10, "F16", 16)             \
  ROW(bfloat16, BFloat16, floating, "bfloat16", "<V2", 16, "BF16", 16)         \
  ROW(float32, float, floating, "float32", "<f4", 1, "F32", 32)                \
  ROW(float64, double, floating, "float64", "<f8", 11, "F64", 64)
// Small dtypes are only data (tensor/small_number.hpp): no arithmetic, no order, no indices.
#define TENSOROP_SMALL_NUMBERS(ROW)                                                                    \
  ROW(float8_e4m3fn, Float8E4M3FN, small_floating, "float8_e4m3fn", "<V1", 17, "F8_E4M3", 8)           \
  ROW(float8_e4m3fnuz, Float8E4M3FNUZ, small_floating, "float8_e4m3fnuz", "<V1", 18, "F8_E4M3FNUZ", 8) \
  ROW(float8_e5m2, Float8E5M2, small_floating, "float8_e5m2", "<V1", 19, "F8_E5M2", 8)                 \
  ROW(float8_e5m2fnuz, Float8E5M2FNUZ, small_floating, "float8_e5m2fnuz", "<V1", 20, "F8_E5M2FNUZ", 8) \
  ROW(float8_e8m0fnu, Float8E8M0FNU, small_floating, "float8_e8m0fnu", "<V1", 24, "F8_E8M0", 8)        \
  ROW(float4_e2m1fn, Float4E2M1FN, small_floating, "float4_e2m1fn", "<V1", 23, "F4", 4)                \
  ROW(int4, Int4, small_integer, "int4", "<V1", 22, "", 4)                                             \
  ROW(uint4, UInt4, small_integer, "uint4", "<V1", 21, "", 4)
#define TENSOROP_DTYPES(ROW)                                                        \
  ROW(boolean, Bool, boolean, "bool", "|b1", 9, "BOOL", 8)                          \
  TENSOROP_NUMBERS(ROW)                                                             \
  ROW(complex64, std::complex<float>, complex, "complex64", "<c8", 14, "C64", 64)   \
  ROW(complex128, std::complex<double>, complex, "complex128", "<c16", 15, "", 128) \
  ROW(string, StringRef, string, "string", "", 8, "", 128)                          \
  TENSOROP_SMALL_NUMBERS(ROW)

#define TENSOROP_ENUMERATOR(dtype, ...) dtype,
enum class DType : std::uint8_t { TENSOROP_DTYPES(TENSOROP_ENUMERATOR) };
#undef TENSOROP_ENUMERATOR

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

// How files pack elements into bytes.
enum class Packing : std::uint8_t {
  bytes,    // an element is one or more bytes
  nibbles,  // a byte has two elements, the first one in its low bits
};
// The packing of elements of that many bits. A dtype of another part of a byte does not compile until there
// is a value for it, and each place that asks for `packing` has a way to read and write it.
[[nodiscard]] consteval Packing packing_of(int bits) {
  if (bits % 8 == 0) return Packing::bytes;
  if (bits == 4) return Packing::nibbles;
  throw "no packing for elements of that many bits";
}

struct DTypeInfo {
  DType dtype;
  DTypeKind kind;
  std::string_view name;
  std::string_view npy;
  int onnx;
  std::string_view safetensors;
  int bits;
  int size;  // bytes per element, in memory
  Packing packing;
};

#define TENSOROP_INFO(dtype, Type, kind, name, npy, onnx, safetensors, bits) \
  {DType::dtype, DTypeKind::kind, name, npy, onnx, safetensors, bits, sizeof(Type), packing_of(bits)},
inline constexpr auto kDTypes = std::to_array<DTypeInfo>({TENSOROP_DTYPES(TENSOROP_INFO)});
#undef TENSOROP_INFO
inline constexpr int kDTypeCount = static_cast<int>(kDTypes.size());

// The table row for `dtype`.
[[nodiscard]] constexpr const DTypeInfo& info(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}
[[nodiscard]] constexpr std::string_view name(DType dtype) {
  return info(dtype).name;
}
[[nodiscard]] constexpr bool is_in_nibbles(DType dtype) {
  return info(dtype).packing == Packing::nibbles;
}
[[nodiscard]] constexpr int element_size(DType dtype) {
  return info(dtype).size;
}

// NumPy's code without the byte order: "f4"; nothing if NumPy has no code for the dtype.
[[nodiscard]] std::optional<std::string_view> npy_code(const DTypeInfo& row);

// The dtype with this name ("float32"); nothing if there is none.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);
// parse_dtype() for text that a user typed; accepts ONNX's names of the small dtypes too, in any case
// ("FLOAT8E4M3FN"). Throws Error [rule] for an unknown name, with a hint: the dtype of that name elsewhere
// ("f4", "double"), or the nearest name.
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

// All dtypes of the given kinds.
[[nodiscard]] constexpr DTypeSet types_of(std::initializer_list<DTypeKind> kinds) {
  DTypeSet set;
  for (const DTypeInfo& row : kDTypes) {
    for (const DTypeKind kind : kinds) {
      if (row.kind == kind) set = set | row.dtype;
    }
  }
  return set;
}

// Sets of dtypes for the type constraints of operators; they grow with the table. Published versions restrict
// them in ops/published_types.hpp. Only kAllTypes and sets called kSmall... contain small dtypes.
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

// Calls f(TypeTag<T>{}) with the C++ type of an element of `dtype`. The only switch over dtypes.
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
#define TENSOROP_CASE(dtype, Type, ...) \
  case DType::dtype:                    \
    return f(TypeTag<Type>{});
  switch (dtype) { TENSOROP_DTYPES(TENSOROP_CASE) }
#undef TENSOROP_CASE
  __builtin_unreachable();
}

// Calls f(TypeTag<Word>{}) with a word type for moving any element of `width` bytes (1, 2, 4, 8 or 16). The
// only switch over element widths. Words, not byte arrays: GCC vectorizes loops over words (measured:
// choosing between elements of up to 4 bytes is 6 to 17 times as fast, filling with elements of up to 8 bytes
// 2 to 25 times).
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
