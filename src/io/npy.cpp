// The elements of an NPY file: used in the mapping if they are stored as in memory, else converted.
#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/fortran_order.hpp"

namespace tensorop {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are little-endian in memory and files");

// Bytes that are swapped together: a complex element is two numbers.
int swap_width(DType dtype) {
  const DTypeInfo& row = info(dtype);
  return row.kind == DTypeKind::complex ? row.size / 2 : row.size;
}

template <class Word, Word kSwap(Word)>
void swap_words(std::span<std::byte> data) {
  for (std::byte* at = data.data(); at != data.data() + data.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    word = kSwap(word);
    std::memcpy(at, &word, sizeof word);
  }
}

std::uint16_t swap16(std::uint16_t word) {
  return __builtin_bswap16(word);
}
std::uint32_t swap32(std::uint32_t word) {
  return __builtin_bswap32(word);
}
std::uint64_t swap64(std::uint64_t word) {
  return __builtin_bswap64(word);
}

// Brings stored elements into the byte order of memory.
void swap_numbers(const NpyHeader& header, std::span<std::byte> data) {
  if (header.encoding != NpyEncoding::swapped) return;
  switch (swap_width(header.dtype)) {
    case 2:
      return swap_words<std::uint16_t, swap16>(data);
    case 4:
      return swap_words<std::uint32_t, swap32>(data);
    case 8:
      return swap_words<std::uint64_t, swap64>(data);
  }
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

std::int64_t promised_bytes(const NpyHeader& header) {
  return count(header.shape) * header.item_bytes;
}

// Whether elements are stored in row-major order: in Fortran order, where at most one dimension is not 1.
bool is_row_major(const NpyHeader& header) {
  const auto is_one = [](std::int64_t size) { return size == 1; };
  return !header.fortran_order || count(header.shape) == 0 ||
         std::ranges::count_if(header.shape, is_one) + 1 >= std::ssize(header.shape);
}

// Bytes that are moved at a time where the order stays.
constexpr std::int64_t kPiece = 1 << 20;

// Calls use(first, bytes) for the pieces of `bytes` bytes.
template <class Use>
void for_each_piece(std::int64_t bytes, const Threads& threads, const Use& use) {
  threads.for_each(ceil_div(bytes, kPiece), [&](std::int64_t number, int worker) {
    use(number * kPiece, std::min(kPiece, bytes - number * kPiece), worker);
  });
}

std::shared_ptr<Storage> decode_in_memory(const NpyHeader& header, const std::byte* stored,
                                          const Threads& threads) {
  const std::int64_t bytes = promised_bytes(header);
  auto storage = std::make_shared<Storage>(bytes);
  std::byte* const out = storage->data();
  const bool row_major = is_row_major(header);
  if (!row_major) {
    reorder(Reordering::of_fortran_order(header.shape), header.item_bytes, stored, out, threads);
    if (header.encoding == NpyEncoding::native) return storage;
  }
  for_each_piece(bytes, threads, [&](std::int64_t first, std::int64_t size, int /*worker*/) {
    if (row_major) std::memcpy(out + first, stored + first, to_size(size));
    swap_numbers(header, {out + first, to_size(size)});
  });
  return storage;
}

// The elements as they are in memory, given to `write` in pieces, through buffers of about `memory` bytes
// together.
void decode_pieces(const NpyHeader& header, const std::byte* stored, std::int64_t memory,
                   const WriteBytes& write, const Threads& threads) {
  const std::int64_t bytes = promised_bytes(header);
  const auto swap = [&](std::span<std::byte> data) { swap_numbers(header, data); };
  threads.expect(bytes);
  if (!is_row_major(header)) {
    return reorder_pieces(Reordering::of_fortran_order(header.shape), header.item_bytes, stored, memory, swap,
                          write, threads);
  }
  std::vector<std::vector<std::byte>> buffers(to_size(threads.count()));
  for_each_piece(bytes, threads, [&](std::int64_t first, std::int64_t size, int worker) {
    auto& buffer = buffers[static_cast<std::size_t>(worker)];
    buffer.assign(stored + first, stored + first + size);
    swap(buffer);
    write(first, buffer);
    threads.advance(size);
  });
}

// Where the elements of an array go that memory does not hold.
class Target {
 public:
  Target(const NpyHeader& header, const ArrayReading& reading) : header_(header) {
    if (reading.direct) direct_ = reading.direct(header.dtype, header.shape);
    if (!direct_) file_.emplace(reading.scratch(promised_bytes(header)));
  }
  void write(std::int64_t offset, std::span<const std::byte> bytes) const {
    direct_ ? direct_(offset, bytes) : file_->write_at(offset, bytes);
  }
  [[nodiscard]] Tensor tensor() && {
    if (!file_) return {header_.dtype, header_.shape};
    return {header_.dtype, header_.shape, std::move(*file_).into_mapped()};
  }

 private:
  const NpyHeader& header_;
  WriteBytes direct_;
  std::optional<ScratchFile> file_;
};

// The tensor in its own memory, or in a temporary file.
Tensor decode(const NpyHeader& header, const std::byte* stored, const ArrayReading& reading) {
  if (header.dtype == DType::string) return decode_strings(header, stored);
  const std::int64_t bytes = promised_bytes(header);
  if (!reading.needs_scratch(bytes)) {
    return {header.dtype, header.shape, decode_in_memory(header, stored, reading.threads)};
  }
  Target target(header, reading);
  decode_pieces(
      header, stored, reading.buffer_bytes(),
      [&](std::int64_t offset, std::span<const std::byte> data) { target.write(offset, data); },
      reading.threads);
  return std::move(target).tensor();
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
  if (!header.descr.empty()) return header.descr;
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
  file.names_dtype = header.names_dtype;
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

namespace {

void settle_dtype(const NpyHeader& header, const ArrayReading& reading) {
  if (header.names_dtype) return;
  if (reading.unnamed == nullptr) refuse_unnamed(header.descr);
  *reading.unnamed = header.descr;
}

void require_end(const NpyStream& stream, std::int64_t promised) {
  std::byte extra{};
  if (stream.read({&extra, 1}) != 0) wrong_length(promised, "more");
}

// The rest of a stream, of which `block` was read already, where memory does not hold it. What is to change
// its order goes to a temporary file first.
Tensor spool(const NpyStream& stream, const NpyHeader& header, std::vector<std::byte> block,
             const ArrayReading& reading) {
  const std::int64_t promised = promised_bytes(header);
  if (to_int64(block.size()) > promised) wrong_length(promised, "more");
  const bool row_major = is_row_major(header);
  reading.threads.expect(promised);
  std::optional<Target> target;
  std::optional<ScratchFile> stored;
  for (std::int64_t done = 0; done < promised; done += to_int64(block.size()), block.clear()) {
    const std::size_t have = block.size();
    block.resize(to_size(std::min(kPiece, promised - done)));
    const std::size_t got = have + stream.read(std::span(block).subspan(have));
    if (got < block.size()) wrong_length(promised, cat(done + to_int64(got)));
    // After the first block has arrived, as memory is taken below.
    if (row_major) {
      if (!target) target.emplace(header, reading);
      swap_numbers(header, block);
      target->write(done, block);
    } else {
      if (!stored) stored.emplace(reading.scratch(promised));
      stored->write_at(done, block);
    }
    reading.threads.advance(to_int64(block.size()));
  }
  require_end(stream, promised);
  return row_major ? std::move(*target).tensor() : decode(header, stored->map().data(), reading);
}

}  // namespace

Tensor read_npy(const NpyStream& stream, std::span<const std::byte> read_so_far,
                const ArrayReading& reading) {
  std::vector<std::byte> bytes(read_so_far.begin(), read_so_far.end());
  const NpyHeader header = stream_header(stream, bytes);
  settle_dtype(header, reading);
  if (reading.header_only) return {header.dtype, header.shape};
  bytes.erase(bytes.begin(), bytes.begin() + header.data_offset);
  const std::int64_t promised = promised_bytes(header);
  if (header.dtype != DType::string && reading.needs_scratch(promised)) {
    return spool(stream, header, std::move(bytes), reading);
  }
  // The first block comes first: data much shorter than promised is reported as such, and not as too large.
  // After it the memory costs nothing until it is filled.
  std::int64_t have = to_int64(bytes.size());
  const auto read_to = [&](std::int64_t end, std::byte* data) {
    if (have >= end) return;
    have += to_int64(stream.read({data + have, to_size(end - have)}));
    if (have < end) wrong_length(promised, cat(have));
  };
  bytes.resize(to_size(std::max(have, std::min(kPiece, promised))));
  read_to(to_int64(bytes.size()), bytes.data());
  if (have > promised) wrong_length(promised, "more");
  auto storage = std::make_shared<Storage>(promised, "the array");
  std::ranges::copy(bytes, storage->data());
  bytes = {};
  read_to(promised, storage->data());
  require_end(stream, promised);
  if (header.encoding == NpyEncoding::native && is_row_major(header)) {
    return {header.dtype, header.shape, storage};
  }
  return decode(header, storage->data(), reading);
}

Tensor read_npy_elements(const NpyHeader& header, const std::byte* stored, std::shared_ptr<const void> owner,
                         const ArrayReading& reading) {
  const auto address = reinterpret_cast<std::uintptr_t>(stored);
  const bool is_aligned =
      reading.any_address || address % static_cast<std::uintptr_t>(info(header.dtype).align) == 0;
  const bool as_memory_wants = header.encoding == NpyEncoding::native && is_row_major(header) && is_aligned;
  if (as_memory_wants) return {header.dtype, header.shape, stored, std::move(owner)};
  return decode(header, stored, reading);
}

Tensor read_npy(std::span<const std::byte> file, std::shared_ptr<const void> owner,
                const ArrayReading& reading) {
  const NpyHeader header = read_npy_header(file);
  settle_dtype(header, reading);
  if (reading.header_only) return {header.dtype, header.shape};
  return read_npy_elements(header, file.data() + header.data_offset, std::move(owner), reading);
}

Tensor read_npy(InputFile& file, std::span<const std::byte> read_so_far, const ArrayReading& reading) {
  return file.mapping() ? read_npy(file.mapping()->bytes(), file.mapping(), reading)
                        : read_npy(stream_of(file), read_so_far, reading);
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
