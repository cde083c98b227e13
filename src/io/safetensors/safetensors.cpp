#include "io/safetensors/safetensors.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/encoding.hpp"
#include "io/format.hpp"
#include "io/little_endian.hpp"
#include "io/npy/stored_array.hpp"
#include "io/safetensors/safetensors_writer.hpp"

namespace tensorop {
namespace {

// Reads on in a stream until `bytes` are its first `size` bytes. Memory grows with what arrives.
void fill_to(std::vector<std::byte>& bytes, std::size_t size, InputFile& file) {
  constexpr std::size_t kBlock = 1 << 20;
  while (bytes.size() < size) {
    const std::size_t have = bytes.size();
    bytes.resize(std::min(size, have + kBlock));
    const std::size_t got = file.read(std::span(bytes).subspan(have));
    bytes.resize(have + got);
    if (got == 0) return;
  }
}

SafetensorsHeader read_header(std::span<const std::byte> bytes, std::int64_t header_bytes,
                              std::optional<std::int64_t> file_bytes) {
  const std::int64_t data_offset = kSafetensorsPrefix + header_bytes;
  const auto json = bytes.subspan(to_size(kSafetensorsPrefix), to_size(header_bytes));
  return parse_safetensors_header(bytes_text(json),
                                  file_bytes ? std::optional(*file_bytes - data_offset) : std::nullopt);
}

}  // namespace

bool begins_as_safetensors(std::string_view head) {
  if (head.size() < kSafetensorsDetectBytes) return false;
  const std::uint64_t length = little_endian(text_bytes(head.substr(0, to_size(kSafetensorsPrefix))));
  constexpr std::string_view kFirst = "{ \t\r\n";
  return length <= static_cast<std::uint64_t>(kMostSafetensorsHeader) &&
         kFirst.find(head[8]) != std::string_view::npos;
}

SafetensorsArchive::SafetensorsArchive(InputFile& file) : mapping_(file.mapping()) {
  if (mapping_) {
    const auto bytes = mapping_->bytes();
    const std::int64_t file_bytes = to_int64(bytes.size());
    const std::int64_t header_bytes = safetensors_header_bytes(bytes_text(bytes), file_bytes);
    data_offset_ = kSafetensorsPrefix + header_bytes;
    header_ = read_header(bytes, header_bytes, file_bytes);
    return;
  }
  stream_ = &file;
  std::vector<std::byte> bytes;
  fill_to(bytes, to_size(kSafetensorsPrefix), file);
  const std::int64_t header_bytes = safetensors_header_bytes(bytes_text(bytes), std::nullopt);
  const std::int64_t data_offset = kSafetensorsPrefix + header_bytes;
  fill_to(bytes, to_size(data_offset), file);
  if (to_int64(bytes.size()) < data_offset) {
    // The stream has ended: its length is known.
    (void)safetensors_header_bytes(bytes_text(bytes), to_int64(bytes.size()));
  }
  header_ = read_header(bytes, header_bytes, std::nullopt);
}

std::optional<std::size_t> SafetensorsArchive::lookup(std::string_view name) const {
  const auto found = std::ranges::find(header_.arrays, name, &SafetensorsArray::name);
  if (found == header_.arrays.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header_.arrays.begin());
}

Tensor SafetensorsArchive::read(std::size_t member, const ArrayReading& reading) const {
  const SafetensorsArray& array = header_.arrays[member];
  if (!array.dtype) {
    const bool is_published = safetensors_order(array.stored).has_value();
    throw Error(cat("dtype ", in_quotes(array.stored), is_published ? " is not supported" : " is not known"));
  }
  if (reading.header_only) return {*array.dtype, array.shape};
  const bool is_packed = info(*array.dtype).bits == 4;
  const StoredArray stored = {.dtype = *array.dtype,
                              .encoding = is_packed ? StoredEncoding::nibbles : StoredEncoding::native,
                              .item_bytes = element_size(*array.dtype),
                              .shape = array.shape};
  if (mapping_) {
    return read_stored(stored, mapping_->bytes().data() + data_offset_ + array.begin, mapping_, reading);
  }
  if (size() != 1) throw Error("a stream of several arrays cannot be read", "", "save it to a file first");
  const ByteStream stream = {[this](std::span<std::byte> buffer) { return stream_->read(buffer); }};
  return read_stored(stored, stream, reading);
}

FileInfo SafetensorsArchive::describe(std::size_t member) const {
  const SafetensorsArray& array = header_.arrays[member];
  FileInfo info;
  info.dtype = array.dtype;
  info.shape = array.shape;
  info.stored = array.stored;
  info.bytes = array.end - array.begin;
  return info;
}

std::unique_ptr<ArchiveWriter> SafetensorsArchive::rewrite(const std::string& path,
                                                           const std::string& /*name*/,
                                                           const ArchiveOptions& options) const {
  return std::make_unique<SafetensorsWriter>(path, options,
                                             SafetensorsWriter::Kept{mapping_, data_offset_, header_});
}

std::unique_ptr<Archive> open_safetensors(InputFile& file) {
  return std::make_unique<SafetensorsArchive>(file);
}

namespace {

constexpr DTypeSet missing_dtypes() {
  DTypeSet missing;
  for (const DTypeInfo& row : kDTypes) {
    if (row.safetensors.empty()) missing = missing | row.dtype;
  }
  return missing;
}

}  // namespace

constinit const Format kSafetensorsFormat = {
    .name = "safetensors",
    .title = "safetensors",
    .article = "a",
    .endings = {".safetensors"},
    .detect_bytes = kSafetensorsDetectBytes,
    .detects = begins_as_safetensors,
    .is_binary = true,
    .ending_explains = true,
    .open_archive = open_safetensors,
    .create_archive = create_safetensors,
    .require_name = require_safetensors_name,
    .keeps_metadata = true,
    .missing = missing_dtypes(),
};

}  // namespace tensorop
