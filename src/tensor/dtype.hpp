// The sixteen element types: one table for names, sizes and NPY codes, sets of types, and dispatch.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/half.hpp"

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

// A string element: UTF-8 bytes in an arena that the tensor owns. 16 bytes, so that moving strings is moving
// elements of width 16.
struct StringRef {
  const char* data = nullptr;
  std::int64_t size = 0;  // bytes
  [[nodiscard]] std::string_view view() const { return {data, static_cast<std::size_t>(size)}; }
};
static_assert(sizeof(StringRef) == 16);

enum class DTypeKind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex, string };

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // "float32": the command line, JSON and messages
  std::string_view npy;   // "<f4": the descr of an NPY header; string has none, its width varies
  DTypeKind kind;
  int size;   // bytes an element
  int align;  // alignment in bytes that typed access needs
};

// The row of `dtype`.
[[nodiscard]] const DTypeInfo& info(DType dtype);
[[nodiscard]] inline std::string_view name(DType dtype) {
  return info(dtype).name;
}
[[nodiscard]] inline int element_size(DType dtype) {
  return info(dtype).size;
}

// The dtype of that name ("float32"); nothing where there is none.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);

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

// The sets of section 0 of the specification.
inline constexpr DTypeSet kSignedTypes = {DType::int8, DType::int16, DType::int32, DType::int64};
inline constexpr DTypeSet kUnsignedTypes = {DType::uint8, DType::uint16, DType::uint32, DType::uint64};
inline constexpr DTypeSet kIntegerTypes = kSignedTypes | kUnsignedTypes;
inline constexpr DTypeSet kFloatTypes = {DType::float16, DType::bfloat16, DType::float32, DType::float64};
inline constexpr DTypeSet kNumericTypes = kIntegerTypes | kFloatTypes;
inline constexpr DTypeSet kComplexTypes = {DType::complex64, DType::complex128};
inline constexpr DTypeSet kAllTypes = kNumericTypes | kComplexTypes | DTypeSet{DType::boolean, DType::string};

// Bool elements are bytes; any byte but 0 counts as true, and moving keeps the byte as it is.
struct Bool {
  std::uint8_t byte = 0;
  explicit operator bool() const { return byte != 0; }
};

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

}  // namespace tensorop
