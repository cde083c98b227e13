#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/array/stored_array.hpp"
#include "io/onnx/tensor_proto_fields.hpp"
#include "io/onnx/tensor_proto_header.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;

// Calls use(field) for each field with this number.
template <class Use>
void for_each_field(std::span<const std::byte> message, std::int64_t byte, std::uint32_t number,
                    const Use& use) {
  for (ProtoMessage fields(message, byte, field::kNames); fields.next();) {
    if (fields.field().number() == number) use(fields.field());
  }
}

std::int64_t width_of(std::uint32_t number) {
  return field::field_of(number).wire == ProtoWire::fixed32 ? 4 : 8;
}

// The range of valid elements in a field of varints.
struct Limits {
  std::int64_t lowest;
  std::int64_t highest;
  bool is_pattern = false;  // the number is the element's bits
};

Limits limits_of(DType dtype) {
  if (dtype == DType::boolean) return {0, 1};
  // ONNX 1.16.0 to 1.16.2 write the byte as int8.
  const std::int64_t lowest = dtype == DType::int4 ? std::numeric_limits<std::int8_t>::lowest() : 0;
  Limits limits{lowest, (std::int64_t{1} << 8 * element_size(dtype) % 64) - 1, true};
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    using Read = std::conditional_t<sizeof(T) == 8, std::int64_t, T>;  // any 64 bits are valid
    if constexpr (std::integral<T>)
      limits = {std::numeric_limits<Read>::lowest(), std::numeric_limits<Read>::max()};
  });
  return limits;
}

[[noreturn]] void refuse_number(std::uint32_t number, std::int64_t position, std::int64_t value, DType dtype,
                                const Limits& limits) {
  const std::string shown =
      number == field::kUint64Data ? cat(static_cast<std::uint64_t>(value)) : cat(value);
  throw Error(cat(field::field_of(number).name, '[', position, "] = ", shown,
                  !limits.is_pattern     ? cat(" does not fit in ", name(dtype))
                  : is_in_nibbles(dtype) ? cat(" is not a byte of two ", name(dtype), " elements")
                                         : cat(" is not a ", name(dtype), " bit pattern")));
}

// A mapped file may change after its fields are counted.
[[noreturn]] void refuse_change() {
  throw Error("changed while it was read");
}

// Fills `out` with numbers of `dtype`, or with bytes of several packed elements each.
void decode_varints(std::span<const std::byte> message, std::int64_t byte, DType dtype,
                    std::span<std::byte> out) {
  const std::uint32_t number = field::typed_field(dtype);
  const Limits limits = limits_of(dtype);
  const auto width = static_cast<std::size_t>(element_size(dtype));
  std::int64_t position = 0;
  for_each_field(message, byte, number, [&](const ProtoField& of) {
    ProtoVarints numbers(of);
    while (const auto bits = numbers.next()) {
      const auto value = static_cast<std::int64_t>(*bits);
      if (value < limits.lowest || value > limits.highest) {
        refuse_number(number, position, value, dtype, limits);
      }
      if (out.size() < width) refuse_change();
      std::memcpy(out.data(), &value, width);
      out = out.subspan(width);
      ++position;
    }
  });
}

void copy_numbers(std::span<const std::byte> message, std::int64_t byte, std::uint32_t number,
                  std::span<std::byte> out) {
  for_each_field(message, byte, number, [&](const ProtoField& of) {
    const auto numbers = of.fixed_numbers(width_of(number));
    if (out.size() < numbers.size()) refuse_change();
    std::ranges::copy(numbers, out.begin());
    out = out.subspan(numbers.size());
  });
}

Tensor decode_strings(std::span<const std::byte> message, std::int64_t byte, const Shape& shape) {
  const std::int64_t elements = count(shape);
  auto storage = std::make_shared<Storage>(elements * element_size(DType::string));
  auto arena = std::make_shared<std::string>();
  const std::span strings(reinterpret_cast<StringRef*>(storage->data()), to_size(elements));
  std::int64_t position = 0;
  for_each_field(message, byte, field::kStringData, [&](const ProtoField& of) {
    if (position == elements) refuse_change();
    const std::size_t begin = arena->size();
    *arena += of.text();
    const std::string_view text = std::string_view(*arena).substr(begin);
    if (!is_utf8(text)) throw Error(cat("string_data[", position, "] is not valid UTF-8"));
    strings[to_size(position++)].size = to_int64(text.size());
  });
  // Set last: the arena moves while it grows.
  const char* at = arena->data();
  for (StringRef& string : strings) {
    string.data = at;
    at += string.size;
  }
  storage->arenas.push_back(std::move(arena));
  return {DType::string, shape, storage};
}

}  // namespace

std::int64_t count_numbers(const ProtoField& of) {
  switch (of.number()) {
    case field::kStringData:
      return 1;
    case field::kFloatData:
    case field::kDoubleData:
      return to_int64(of.fixed_numbers(width_of(of.number())).size()) / width_of(of.number());
    default:
      break;
  }
  if (of.wire() != ProtoWire::bytes) return 1;
  // A varint ends with its first byte below 0x80.
  const auto ends = [](std::byte byte) { return byte < std::byte{0x80}; };
  if (!of.bytes().empty() && !ends(of.bytes().back())) {
    ProtoVarints numbers(of);
    while (numbers.next()) {
    }
  }
  return std::ranges::count_if(of.bytes(), ends);
}

Tensor decode_typed_data(std::span<const std::byte> message, std::int64_t byte, DType dtype,
                         const Shape& shape) {
  if (dtype == DType::string) return decode_strings(message, byte, shape);
  if (is_in_nibbles(dtype)) {
    std::vector<std::byte> packed(to_size(packed_bytes(dtype, shape)));
    decode_varints(message, byte, dtype, packed);
    auto storage = std::make_shared<Storage>(count(shape));
    unpack_nibbles(packed, {storage->data(), to_size(count(shape))});
    return {dtype, shape, storage};
  }
  const std::int64_t bytes = count(shape) * element_size(dtype);
  auto storage = std::make_shared<Storage>(bytes);
  const std::span out(storage->data(), to_size(bytes));
  const std::uint32_t number = field::typed_field(dtype);
  if (number == field::kFloatData || number == field::kDoubleData) {
    copy_numbers(message, byte, number, out);
  } else {
    decode_varints(message, byte, dtype, out);
  }
  return {dtype, shape, storage};
}

}  // namespace tensorop
