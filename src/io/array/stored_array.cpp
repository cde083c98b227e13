#include "io/array/stored_array.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/array/fortran_order.hpp"

namespace tensorop {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are little-endian in memory and files");

constexpr std::byte kLowerHalf{0x0F};

// The number of bytes to swap together: a complex element is two numbers. 0: no swap.
std::int64_t swap_width(const ArrayEntry& array) {
  if (array.encoding != StoredEncoding::swapped) return 0;
  const DTypeInfo& row = info(*array.dtype);
  return row.kind == DTypeKind::complex ? row.size / 2 : row.size;
}

// Appends one stored string to the arena; false if it is not valid Unicode.
bool append_string(std::string& arena, const std::byte* stored, const ArrayEntry& array) {
  if (array.encoding == StoredEncoding::bytes) {
    std::string_view text(reinterpret_cast<const char*>(stored), to_size(array.item_bytes));
    while (text.ends_with('\0')) text.remove_suffix(1);
    arena += text;
    return is_utf8(text);
  }
  const auto code_at = [&](std::int64_t i) {
    std::uint32_t code = 0;
    std::memcpy(&code, stored + 4 * i, 4);
    return array.encoding == StoredEncoding::utf32_swapped ? __builtin_bswap32(code) : code;
  };
  std::int64_t length = array.item_bytes / 4;
  while (length > 0 && code_at(length - 1) == 0) --length;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::uint32_t code = code_at(i);
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
    append_utf8(arena, code);
  }
  return true;
}

// Whether elements are in row-major order: also Fortran order with at most one dimension above 1.
bool is_row_major(const ArrayEntry& array) {
  const auto is_one = [](std::int64_t size) { return size == 1; };
  return !array.fortran_order || count(array.shape) == 0 ||
         std::ranges::count_if(array.shape, is_one) + 1 >= std::ssize(array.shape);
}

Tensor decode_strings(const ArrayEntry& array, const std::byte* stored) {
  const std::int64_t elements = count(array.shape);
  auto arena = std::make_shared<std::string>();
  auto storage = std::make_shared<Storage>(elements * element_size(DType::string));
  auto* refs = reinterpret_cast<StringRef*>(storage->data());
  const std::vector<std::int64_t> order = !is_row_major(array)
                                              ? Reordering::of_fortran_order(array.shape).sources()
                                              : std::vector<std::int64_t>();
  std::vector<std::size_t> begins(to_size(elements));
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t position = order.empty() ? i : order[to_size(i)];
    begins[to_size(i)] = arena->size();
    if (!append_string(*arena, stored + position * array.item_bytes, array))
      throw Error(cat(element_name("element ", i, array.shape), " is not valid Unicode"));
    refs[i].size = to_int64(arena->size() - begins[to_size(i)]);
  }
  // Set last: the arena moves while it grows.
  for (std::int64_t i = 0; i < elements; ++i) refs[i].data = arena->data() + begins[to_size(i)];
  storage->arenas.push_back(std::move(arena));
  return {DType::string, array.shape, storage};
}

// Decodes a part of a row-major array into `out`; `first` is the part's byte offset in memory. For nibbles
// `first` is even.
void decode_block(const ArrayEntry& array, const std::byte* stored, std::int64_t first,
                  std::span<std::byte> out) {
  if (array.encoding == StoredEncoding::nibbles) {
    return unpack_nibbles({stored + first / 2, (out.size() + 1) / 2}, out);
  }
  std::memcpy(out.data(), stored + first, out.size());
  swap_bytes(out, swap_width(array));
}

Tensor decode(const ArrayEntry& array, const std::byte* stored, const ArrayReading& reading) {
  if (*array.dtype == DType::string) return decode_strings(array, stored);
  DecodingTarget target(*array.dtype, array.shape, reading);
  const Threads& threads = reading.threads;
  if (is_row_major(array)) {
    constexpr std::int64_t kBlock = 1 << 20;
    const std::int64_t bytes = count(array.shape) * element_size(*array.dtype);
    std::vector<std::vector<std::byte>> buffers(to_size(threads.count()));
    threads.for_each(ceil_div(bytes, kBlock), [&](std::int64_t number, int worker) {
      const std::int64_t first = number * kBlock;
      target.put(first, std::min(kBlock, bytes - first), buffers[to_size(worker)],
                 [&](std::span<std::byte> out) { decode_block(array, stored, first, out); });
    });
    return std::move(target).tensor();
  }
  const Reordering order = Reordering::of_fortran_order(array.shape);
  const std::int64_t swapped = swap_width(array);
  if (target.memory() != nullptr) {
    reorder(order, array.item_bytes, swapped, stored, target.memory(), threads);
  } else {
    reorder_blocks(order, array.item_bytes, swapped, stored, reading.buffer_bytes(), target.write(), threads);
  }
  return std::move(target).tensor();
}

void append_nibbles(std::int64_t /*first*/, std::int64_t count, const std::byte* elements, std::string& out) {
  const std::size_t begin = out.size();
  out.resize(begin + to_size(ceil_div(count, 2)));
  pack_nibbles({elements, to_size(count)}, std::as_writable_bytes(std::span(out)).subspan(begin));
}

}  // namespace

bool is_plain(const ArrayEntry& entry) {
  return entry.encoding == StoredEncoding::native && is_row_major(entry);
}

ArrayEntry packed_entry(DType dtype, const Shape& shape) {
  return {.dtype = dtype,
          .shape = shape,
          .encoding = is_in_nibbles(dtype) ? StoredEncoding::nibbles : StoredEncoding::native,
          .item_bytes = element_size(dtype),
          .bytes = packed_bytes(dtype, shape)};
}

std::int64_t packed_bytes(DType dtype, std::int64_t elements) {
  if (is_in_nibbles(dtype)) return ceil_div(elements, 2);
  return saturated(checked_mul(elements, element_size(dtype)));
}

Encoding packed_encoding(DType dtype, const Shape& shape) {
  Encoding out;
  out.least_bytes = packed_bytes(dtype, shape);
  if (is_in_nibbles(dtype)) {
    out.together = 2;
    out.encode = append_nibbles;
  } else {
    out.element_bytes = element_size(dtype);
  }
  return out;
}

Tensor read_stored(const ArrayEntry& entry, const ArrayReading& reading) {
  if (entry.owner == nullptr) return {*entry.dtype, entry.shape, std::make_shared<Storage>(0)};
  if (is_plain(entry)) return {*entry.dtype, entry.shape, entry.owner, entry.offset};
  return decode(entry, entry.owner->bytes().data() + entry.offset, reading);
}

void pack_nibbles(std::span<const std::byte> elements, std::span<std::byte> out) {
  const std::size_t pairs = elements.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) out[i] = (elements[2 * i] & kLowerHalf) | elements[2 * i + 1] << 4;
  if (elements.size() % 2 != 0) out[pairs] = elements.back() & kLowerHalf;
}

void unpack_nibbles(std::span<const std::byte> packed, std::span<std::byte> elements) {
  const std::size_t pairs = elements.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    elements[2 * i] = packed[i] & kLowerHalf;
    elements[2 * i + 1] = packed[i] >> 4;
  }
  if (elements.size() % 2 != 0) elements.back() = packed[pairs] & kLowerHalf;
}

}  // namespace tensorop
