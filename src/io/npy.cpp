// The elements of an NPY file: used in the mapping if they are stored as in memory, else converted.
#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are little-endian in memory and files");

// Bytes that are swapped together: a complex element is two numbers.
int swap_width(DType dtype) {
  const DTypeInfo& row = info(dtype);
  return row.kind == DTypeKind::complex ? row.size / 2 : row.size;
}

void swap_numbers(std::byte* data, std::int64_t bytes, int width) {
  for (std::int64_t i = 0; i < bytes; i += width) std::reverse(data + i, data + i + width);
}

// Where in a file of order `fortran` the elements of the row-major tensor lie, one after the other.
class StoredOrder {
 public:
  explicit StoredOrder(const NpyHeader& header) : shape_(header.shape), index_(shape_.size()) {
    // Fortran order is row-major order of the dimensions read backwards.
    const Shape backwards(shape_.rbegin(), shape_.rend());
    strides_ = row_major_strides(header.fortran_order ? backwards : shape_);
    if (header.fortran_order) std::ranges::reverse(strides_);
  }
  [[nodiscard]] std::int64_t position() const { return position_; }
  void advance() {
    for (std::size_t i = shape_.size(); i-- > 0;) {
      position_ += strides_[i];
      if (++index_[i] < shape_[i]) return;
      position_ -= strides_[i] * shape_[i];
      index_[i] = 0;
    }
  }

 private:
  const Shape& shape_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int64_t> index_;
  std::int64_t position_ = 0;
};

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

// One stored string appended to the arena; false when it is not valid Unicode.
bool append_string(std::string& arena, const std::byte* stored, const NpyHeader& header) {
  if (header.encoding == NpyEncoding::bytes) {
    std::string_view text(reinterpret_cast<const char*>(stored), to_size(header.item_bytes));
    while (text.ends_with('\0')) text.remove_suffix(1);
    arena += text;
    return is_utf8(text);
  }
  const auto code_at = [&](std::int64_t i) {
    std::uint32_t code = 0;
    std::memcpy(&code, stored + 4 * i, 4);
    return header.encoding == NpyEncoding::utf32_swapped ? __builtin_bswap32(code) : code;
  };
  std::int64_t length = header.item_bytes / 4;
  while (length > 0 && code_at(length - 1) == 0) --length;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::uint32_t code = code_at(i);
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
    append_utf8(arena, code);
  }
  return true;
}

Tensor decode_strings(const NpyHeader& header, const std::byte* stored) {
  const std::int64_t elements = count(header.shape);
  auto arena = std::make_shared<std::string>();
  auto storage = std::make_shared<Storage>(elements * element_size(DType::string));
  auto* refs = reinterpret_cast<StringRef*>(storage->data());
  StoredOrder order(header);
  std::vector<std::size_t> begins(to_size(elements));
  for (std::int64_t i = 0; i < elements; ++i, order.advance()) {
    begins[to_size(i)] = arena->size();
    if (!append_string(*arena, stored + order.position() * header.item_bytes, header)) {
      throw Error(cat(element_name("element ", i, header.shape), " is not valid Unicode"));
    }
    refs[i].size = to_int64(arena->size() - begins[to_size(i)]);
  }
  // Only now: the arena moved while it grew.
  for (std::int64_t i = 0; i < elements; ++i) refs[i].data = arena->data() + begins[to_size(i)];
  storage->arenas.push_back(std::move(arena));
  return {header.dtype, header.shape, storage};
}

template <std::size_t kWidth>
void reorder(const NpyHeader& header, const std::byte* stored, std::byte* out) {
  const std::int64_t elements = count(header.shape);
  StoredOrder order(header);
  for (std::int64_t i = 0; i < elements; ++i, order.advance()) {
    std::memcpy(out + to_size(i) * kWidth, stored + to_size(order.position()) * kWidth, kWidth);
  }
}

// The tensor in its own memory.
Tensor decode(const NpyHeader& header, const std::byte* stored) {
  if (header.dtype == DType::string) return decode_strings(header, stored);
  const std::int64_t bytes = count(header.shape) * header.item_bytes;
  auto storage = std::make_shared<Storage>(bytes);
  std::byte* out = storage->data();
  if (!header.fortran_order || header.shape.size() < 2) {
    if (bytes != 0) std::memcpy(out, stored, to_size(bytes));
  } else {
    dispatch_width(header.item_bytes,
                   [&]<class Word>(TypeTag<Word>) { reorder<sizeof(Word)>(header, stored, out); });
  }
  if (header.encoding == NpyEncoding::swapped) swap_numbers(out, bytes, swap_width(header.dtype));
  return {header.dtype, header.shape, storage};
}

std::int64_t promised_bytes(const NpyHeader& header) {
  return count(header.shape) * header.item_bytes;
}

[[noreturn]] void wrong_length(std::int64_t promised, const std::string& held) {
  throw Error(cat("header promises ", promised, " bytes of data, the file holds ", held));
}

void require_length(const NpyHeader& header, std::int64_t length) {
  const std::int64_t held = length - header.data_offset;
  if (held != promised_bytes(header)) wrong_length(promised_bytes(header), cat(held));
}

// A header at the front of a stream: grows `bytes` until it is whole.
NpyHeader stream_header(const NpyStream& stream, std::vector<std::byte>& bytes) {
  const auto fill_to = [&](std::size_t size) {
    if (bytes.size() >= size) return;
    const std::size_t have = bytes.size();
    bytes.resize(size);
    bytes.resize(have + stream.read(std::span(bytes).subspan(have)));
  };
  // Version and length first, then exactly the header; parse_npy_header judges whatever came.
  fill_to(12);
  std::size_t needed = 12;
  if (bytes.size() >= 10 && bytes[6] == std::byte{1}) {
    needed = 10 + std::to_integer<std::size_t>(bytes[8]) + (std::to_integer<std::size_t>(bytes[9]) << 8);
  } else if (bytes.size() >= 12) {
    for (std::size_t i = 0; i < 4; ++i) needed += std::to_integer<std::size_t>(bytes[8 + i]) << (8 * i);
  }
  // Bytes that cannot be a header are refused without reading further.
  constexpr std::size_t kMost = (1 << 16) + 12;
  const bool known_version =
      bytes.size() >= 8 && bytes[6] >= std::byte{1} && bytes[6] <= std::byte{3} && bytes[7] == std::byte{0};
  if (known_version && needed <= kMost) fill_to(needed);
  NpyHeader header = parse_npy_header(bytes);
  if (stream.length) require_length(header, *stream.length);
  return header;
}

std::string stored_as(const NpyHeader& header) {
  switch (header.encoding) {
    case NpyEncoding::native:
      return std::string(info(header.dtype).npy);
    case NpyEncoding::swapped:
      return cat('>', info(header.dtype).npy.substr(1));
    case NpyEncoding::utf32:
      return cat("<U", header.item_bytes / 4);
    case NpyEncoding::utf32_swapped:
      return cat(">U", header.item_bytes / 4);
    case NpyEncoding::bytes:
      return cat("|S", header.item_bytes);
  }
  __builtin_unreachable();
}

NpyStream stream_of(InputFile& file) {
  return {[&file](std::span<std::byte> buffer) { return file.read(buffer); }, std::nullopt};
}

}  // namespace

bool begins_as_npy(std::string_view head) {
  return head.starts_with(kNpyMagic);
}

NpyHeader read_npy_header(const NpyStream& stream, std::span<const std::byte> read_so_far) {
  std::vector<std::byte> bytes(read_so_far.begin(), read_so_far.end());
  return stream_header(stream, bytes);
}

NpyHeader read_npy_header(std::span<const std::byte> file) {
  NpyHeader header = parse_npy_header(file);
  require_length(header, to_int64(file.size()));
  return header;
}

FileInfo describe(const NpyHeader& header) {
  FileInfo file;
  file.dtype = header.dtype;
  file.shape = header.shape;
  file.stored = stored_as(header);
  file.fortran_order = header.fortran_order;
  file.bytes = promised_bytes(header);
  return file;
}

FileInfo describe_npy(InputFile& file, std::span<const std::byte> read_so_far) {
  return describe(file.mapping() ? read_npy_header(file.mapping()->bytes())
                                 : read_npy_header(stream_of(file), read_so_far));
}

Tensor read_npy(const NpyStream& stream, std::span<const std::byte> read_so_far, bool header_only) {
  std::vector<std::byte> bytes(read_so_far.begin(), read_so_far.end());
  const NpyHeader header = stream_header(stream, bytes);
  if (header_only) return {header.dtype, header.shape};
  bytes.erase(bytes.begin(), bytes.begin() + header.data_offset);
  const std::int64_t promised = promised_bytes(header);
  constexpr std::size_t kBlock = 1 << 20;
  while (to_int64(bytes.size()) < promised) {
    const std::size_t have = bytes.size();
    const std::size_t want = std::min(kBlock, to_size(promised) - have);
    if (have != 0 && bytes.capacity() < to_size(promised)) {
      // After the first block has arrived: data much shorter than promised is reported as such. Reserved
      // memory costs nothing until it is filled.
      require_memory(promised, "the array");
      bytes.reserve(to_size(promised));
    }
    bytes.resize(have + want);
    const std::size_t got = stream.read(std::span(bytes).subspan(have));
    bytes.resize(have + got);
    if (got < want) wrong_length(promised, cat(bytes.size()));
  }
  std::byte extra{};
  if (to_int64(bytes.size()) > promised || stream.read({&extra, 1}) != 0) wrong_length(promised, "more");
  if (header.dtype != DType::string && !header.fortran_order && header.encoding == NpyEncoding::native) {
    // The vector's memory is aligned for every element type and becomes the tensor's own.
    auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    return {header.dtype, header.shape, owner->data(), owner};
  }
  return decode(header, bytes.data());
}

Tensor read_npy(std::span<const std::byte> file, std::shared_ptr<const void> owner, bool header_only) {
  const NpyHeader header = read_npy_header(file);
  if (header_only) return {header.dtype, header.shape};
  const std::byte* stored = file.data() + header.data_offset;
  const auto address = reinterpret_cast<std::uintptr_t>(stored);
  const bool as_memory_wants = header.encoding == NpyEncoding::native &&
                               (!header.fortran_order || header.shape.size() < 2) &&
                               address % static_cast<std::uintptr_t>(info(header.dtype).align) == 0;
  if (as_memory_wants) return {header.dtype, header.shape, stored, std::move(owner)};
  return decode(header, stored);
}

Tensor read_npy(InputFile& file, std::span<const std::byte> read_so_far, bool header_only) {
  return file.mapping() ? read_npy(file.mapping()->bytes(), file.mapping(), header_only)
                        : read_npy(stream_of(file), read_so_far, header_only);
}

std::int64_t longest_characters(std::span<const StringRef> strings) {
  std::int64_t longest = 1;
  for (const StringRef& string : strings) {
    // Code points are the bytes that do not continue one.
    const auto characters = std::ranges::count_if(
        string.view(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    longest = std::max<std::int64_t>(longest, characters);
  }
  return longest;
}

void append_utf32(std::string& out, std::span<const StringRef> strings, std::int64_t characters) {
  for (const StringRef& string : strings) {
    const std::size_t end = out.size() + to_size(characters) * 4;
    for (std::string_view text = string.view(); !text.empty();) {
      const std::size_t length = utf8_length(text);
      const auto lead = static_cast<unsigned char>(text[0]);
      std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
      for (std::size_t i = 1; i < length; ++i)
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
      out.append(reinterpret_cast<const char*>(&code), 4);
      text.remove_prefix(length);
    }
    out.resize(end, '\0');
  }
}

Encoding npy_encoding(DType dtype, const Shape& shape, std::int64_t characters) {
  Encoding encoding;
  encoding.prefix = npy_header(dtype, shape, characters);
  std::optional<std::int64_t> width = element_size(dtype);
  if (dtype == DType::string) {
    width = checked_mul(characters, 4);
    encoding.encode = [characters](std::int64_t /*first*/, std::int64_t count, const std::byte* elements,
                                   std::string& out) {
      append_utf32(out, {reinterpret_cast<const StringRef*>(elements), to_size(count)}, characters);
    };
  } else {
    encoding.element_bytes = element_size(dtype);
  }
  const auto bytes = width ? checked_mul(count(shape), *width) : std::nullopt;
  encoding.least_bytes = bytes.value_or(std::numeric_limits<std::int64_t>::max());
  return encoding;
}

}  // namespace tensorop
