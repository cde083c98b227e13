// The sixteen dtypes: one table for names, sizes and codes of formats, sets of dtypes, and dispatch to the
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
};
inline constexpr int kDTypeCount = 16;

enum class DTypeKind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex, string };

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // "float32": the command line, JSON and messages
  std::string_view npy;   // "<f4": the descr of an NPY header; string has none, its width varies
  DTypeKind kind;
  int size;   // bytes per element
  int align;  // alignment in bytes that access needs, as the element's type or as a word of its width
};

// Everything that is known of a dtype but its C++ type, which dispatch() gives. A format of its own codes
// adds a column.
inline constexpr std::array<DTypeInfo, kDTypeCount> kDTypes = {{
    {DType::boolean, "bool", "|b1", DTypeKind::boolean, 1, 1},
    {DType::int8, "int8", "|i1", DTypeKind::signed_integer, 1, 1},
    {DType::int16, "int16", "<i2", DTypeKind::signed_integer, 2, 2},
    {DType::int32, "int32", "<i4", DTypeKind::signed_integer, 4, 4},
    {DType::int64, "int64", "<i8", DTypeKind::signed_integer, 8, 8},
    {DType::uint8, "uint8", "|u1", DTypeKind::unsigned_integer, 1, 1},
    {DType::uint16, "uint16", "<u2", DTypeKind::unsigned_integer, 2, 2},
    {DType::uint32, "uint32", "<u4", DTypeKind::unsigned_integer, 4, 4},
    {DType::uint64, "uint64", "<u8", DTypeKind::unsigned_integer, 8, 8},
    {DType::float16, "float16", "<f2", DTypeKind::floating, 2, 2},
    {DType::bfloat16, "bfloat16", "<V2", DTypeKind::floating, 2, 2},
    {DType::float32, "float32", "<f4", DTypeKind::floating, 4, 4},
    {DType::float64, "float64", "<f8", DTypeKind::floating, 8, 8},
    {DType::complex64, "complex64", "<c8", DTypeKind::complex, 8, 8},
    {DType::complex128, "complex128", "<c16", DTypeKind::complex, 16, 8},
    {DType::string, "string", "", DTypeKind::string, 16, 8},
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
// The same of text that a user typed. Throws Error [rule] where there is none, with the dtype of that name in
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
// published versions allow is in ops/published_types.hpp.
inline constexpr DTypeSet kSignedTypes = types_of({DTypeKind::signed_integer});
inline constexpr DTypeSet kUnsignedTypes = types_of({DTypeKind::unsigned_integer});
inline constexpr DTypeSet kIntegerTypes = kSignedTypes | kUnsignedTypes;
inline constexpr DTypeSet kFloatTypes = types_of({DTypeKind::floating});
inline constexpr DTypeSet kNumericTypes = kIntegerTypes | kFloatTypes;
inline constexpr DTypeSet kComplexTypes = types_of({DTypeKind::complex});
inline constexpr DTypeSet kAllTypes =
    kNumericTypes | kComplexTypes | types_of({DTypeKind::boolean, DTypeKind::string});

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
