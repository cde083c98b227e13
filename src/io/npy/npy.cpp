#include "io/npy/npy.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/little_endian.hpp"

namespace tensorop {
namespace {

// `front`: the bytes of the file, or only the first of them.
void require_length(const ArrayEntry& entry, std::span<const std::byte> front, std::int64_t file_bytes) {
  const std::int64_t held = file_bytes - entry.offset;
  if (held == entry.bytes) return;
  // No overflow: the file has more bytes than the array.
  const std::int64_t end = held > entry.bytes ? entry.offset + entry.bytes : file_bytes;
  if (end < to_int64(front.size()) && begins_as_npy(bytes_text(front.subspan(to_size(end)))))
    throw Error(cat("another NPY file begins at byte ", end), "",
                cat("head -c ", end, " FILE > x.npy makes a file of the first array, tail -c +", end + 1,
                    " FILE > y.npy of the others"));
  throw Error(cat("header promises ", entry.bytes, " bytes of data, the file holds ",
                  held > entry.bytes ? "more" : cat(held)));
}

// A malformed header needs no more bytes; after the end of the array another file may begin.
std::int64_t npy_enough(std::string_view head) {
  try {
    const ArrayEntry entry = parse_npy_header(text_bytes(head));
    return saturated(checked_add(entry.offset + to_int64(kNpyMagic.size()), entry.bytes));
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace

std::vector<std::byte> npy_front(const ReadBytes& read) {
  std::vector<std::byte> bytes;
  const auto fill_to = [&](std::size_t size) {
    const std::size_t have = bytes.size();
    if (have >= size) return;
    bytes.resize(size);
    bytes.resize(have + read(std::span(bytes).subspan(have)));
  };
  // Reads version and length first, then the rest of the header if the length is plausible.
  fill_to(12);
  constexpr std::size_t kMost = (1 << 16) + 12;
  if (bytes.size() < 10 || bytes[6] > std::byte{3}) return bytes;
  const bool is_first = bytes[6] == std::byte{1};
  const std::size_t length = little_endian(std::span(bytes).subspan(8, is_first ? 2 : bytes.size() - 8));
  const std::size_t end = length + (is_first ? 10 : 12);
  if (end <= kMost) fill_to(end);
  return bytes;
}

bool begins_as_npy(std::string_view head) {
  return head.starts_with(kNpyMagic);
}

ArrayEntry read_npy_header(std::span<const std::byte> front, std::int64_t file_bytes) {
  ArrayEntry entry = parse_npy_header(front);
  require_length(entry, front, file_bytes);
  return entry;
}

ArrayEntry npy_entry(std::span<const std::byte> bytes, const std::shared_ptr<const MappedFile>& file) {
  ArrayEntry entry = read_npy_header(bytes, to_int64(bytes.size()));
  entry.offset += bytes.data() - file->bytes().data();
  entry.owner = file;
  return entry;
}

std::int64_t longest_characters(std::span<const StringRef> strings) {
  std::int64_t longest = 1;
  for (const StringRef& string : strings) {
    if (string.view().ends_with('\0'))
      throw Error(cat("element ", &string - strings.data(),
                      " ends in the character NUL, which NPY and NPZ do not keep"),
                  "", "a .pb or .json file keeps it");
    longest = std::max(longest, utf8_characters(string.view()));
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
    .detects = begins_as_npy,
    .is_binary = true,
    .enough_bytes = npy_enough,
    .open =
        [](const InputFile& file) {
          return std::make_unique<Archive>(npy_entry(file.bytes(), file.mapping()));
        },
    .encode = [](DType dtype, const Shape& shape, std::int64_t characters,
                 std::string_view /*name*/) { return npy_encoding(dtype, shape, characters); },
    .measure_strings = longest_characters,
    .unnamed = kSmallTypes,
};

}  // namespace tensorop
