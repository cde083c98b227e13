#include "io/npy/npy.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/format.hpp"
#include "io/little_endian.hpp"

namespace tensorop {
namespace {

// `file`: its bytes, if they are in memory.
void require_length(const NpyHeader& header, std::int64_t length, std::span<const std::byte> file) {
  const std::int64_t held = length - header.data_offset;
  if (held == header.bytes()) return;
  const std::int64_t end = header.data_offset + header.bytes();
  if (held > header.bytes() && end < to_int64(file.size()) &&
      begins_as_npy(bytes_text(file.subspan(to_size(end))))) {
    throw Error(cat("another NPY file begins at byte ", end), "",
                cat("head -c ", end, " FILE > x.npy makes a file of the first array, tail -c +", end + 1,
                    " FILE > y.npy of the others"));
  }
  refuse_length(header.bytes(), cat(held));
}

void settle_dtype(const NpyHeader& header, const ArrayReading& reading) {
  if (header.names_dtype) return;
  if (reading.unnamed == nullptr) refuse_unnamed(header.descr);
  *reading.unnamed = header.descr;
}

// The header of a stream, as far as it has come; parse_npy_header judges it.
std::vector<std::byte> read_front(const ByteSource& stream) {
  std::vector<std::byte> bytes;
  const auto fill_to = [&](std::size_t size) {
    if (bytes.size() >= size) return;
    const std::size_t have = bytes.size();
    bytes.resize(size);
    bytes.resize(have + stream.read(std::span(bytes).subspan(have)));
  };
  // Version and length first, then exactly the header.
  fill_to(12);
  std::size_t needed = 12;
  if (bytes.size() >= 10 && bytes[6] == std::byte{1}) {
    needed = 10 + little_endian(std::span(bytes).subspan(8, 2));
  } else if (bytes.size() >= 12) {
    needed += little_endian(std::span(bytes).subspan(8, 4));
  }
  // Bytes that cannot be a header are refused without reading further.
  constexpr std::size_t kMost = (1 << 16) + 12;
  const bool known_version =
      bytes.size() >= 8 && bytes[6] >= std::byte{1} && bytes[6] <= std::byte{3} && bytes[7] == std::byte{0};
  if (known_version && needed <= kMost) fill_to(needed);
  return bytes;
}

}  // namespace

bool begins_as_npy(std::string_view head) {
  return head.starts_with(kNpyMagic);
}

NpyHeader read_npy_header(const ByteSource& file) {
  NpyHeader header = parse_npy_header(file.read ? read_front(file) : file.memory);
  const auto length = file.read ? file.length : to_int64(file.memory.size());
  if (length) require_length(header, *length, file.memory);
  return header;
}

FileInfo describe(const NpyHeader& header) {
  FileInfo file;
  file.dtype = header.dtype;
  file.names_dtype = header.names_dtype;
  file.shape = header.shape;
  file.stored = header.descr;
  file.fortran_order = header.fortran_order;
  file.bytes = header.bytes();
  return file;
}

Tensor read_npy(const ByteSource& file, const ArrayReading& reading) {
  const NpyHeader header = read_npy_header(file);
  settle_dtype(header, reading);
  if (reading.header_only) return {header.dtype, header.shape};
  if (file.read) return read_stored(header, file, reading);
  return read_stored(header, file.memory.data() + header.data_offset, file.owner, reading);
}

std::int64_t longest_characters(std::span<const StringRef> strings) {
  std::int64_t longest = 1;
  for (const StringRef& string : strings) {
    if (string.view().ends_with('\0'))
      throw Error(cat("element ", &string - strings.data(),
                      " ends in the character NUL, which NPY and NPZ do not keep"),
                  "", "a .pb or .json file keeps it");
    // Code points are the bytes that do not continue one.
    const auto characters = std::ranges::count_if(
        string.view(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    longest = std::max<std::int64_t>(longest, characters);
  }
  return longest;
}

void append_utf32(std::string& out, std::span<const StringRef> strings, std::int64_t characters) {
  const std::size_t width = to_size(characters) * 4;
  std::size_t begin = out.size();
  out.resize(begin + strings.size() * width, '\0');
  for (const StringRef& string : strings) {
    char* at = out.data() + begin;
    const char* const end = at + width;
    for (std::string_view text = string.view(); !text.empty() && at != end; at += 4) {
      const auto lead = static_cast<unsigned char>(text[0]);
      const std::size_t length = lead < 0x80 ? 1 : utf8_length(text);
      std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
      for (std::size_t i = 1; i < length; ++i)
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
      std::memcpy(at, &code, sizeof code);
      text.remove_prefix(length);
    }
    begin += width;
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
  encoding.least_bytes = saturated(width ? checked_mul(count(shape), *width) : std::nullopt);
  return encoding;
}

constinit const Format kNpyFormat = {
    .name = "npy",
    .title = "NPY",
    .article = "an",
    .endings = {".npy"},
    .detect_bytes = kNpyMagic.size(),
    .detects = begins_as_npy,
    .is_binary = true,
    .read = [](InputFile& file, const ArrayReading& reading) { return read_npy(source_of(file), reading); },
    .describe = [](InputFile& file) { return describe(read_npy_header(source_of(file))); },
    .encode = [](DType dtype, const Shape& shape, std::int64_t characters,
                 std::string_view /*name*/) { return npy_encoding(dtype, shape, characters); },
    .measure_strings = longest_characters,
    .unnamed = kSmallTypes,
};

}  // namespace tensorop
