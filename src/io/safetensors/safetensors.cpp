// Reading safetensors files: arrays one after the other, and a header that says where. The header is read by
// io/safetensors/safetensors_header.hpp, io/safetensors/safetensors_writer.hpp writes them.
#include <memory>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
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

constexpr std::size_t kSafetensorsDetectBytes = to_size(kSafetensorsPrefix) + 1;

// A length that a header may have, and the first character of a JSON object or white space.
bool begins_as_safetensors(std::string_view head) {
  if (head.size() < kSafetensorsDetectBytes) return false;
  const std::uint64_t length = little_endian(text_bytes(head.substr(0, to_size(kSafetensorsPrefix))));
  constexpr std::string_view kFirst = "{ \t\r\n";
  return length <= static_cast<std::uint64_t>(kMostSafetensorsHeader) &&
         kFirst.find(head[8]) != std::string_view::npos;
}

// All members are arrays, in the order of the header.
class SafetensorsArchive final : public Archive {
 public:
  // Reads the header; of a stream nothing more. A stream outlives the archive. Throws Error.
  explicit SafetensorsArchive(InputFile& file) : mapping_(file.mapping()), stream_(&file) {
    // The length of a stream is known when it has ended.
    std::optional<std::int64_t> file_bytes;
    if (mapping_) file_bytes = to_int64(mapping_->bytes().size());
    std::vector<std::byte> arrived;
    const auto front = [&](std::int64_t size) {
      if (mapping_) return bytes_text(mapping_->bytes());
      fill_to(arrived, to_size(size), file);
      if (to_int64(arrived.size()) < size) file_bytes = to_int64(arrived.size());
      return bytes_text(arrived);
    };
    const std::int64_t header_bytes = safetensors_header_bytes(front(kSafetensorsPrefix), file_bytes);
    data_offset_ = kSafetensorsPrefix + header_bytes;
    const std::string_view bytes = front(data_offset_);
    if (file_bytes) (void)safetensors_header_bytes(bytes, file_bytes);
    header_ = parse_safetensors_header(bytes.substr(to_size(kSafetensorsPrefix), to_size(header_bytes)),
                                       file_bytes ? std::optional(*file_bytes - data_offset_) : std::nullopt);
    for (const SafetensorsArray& array : header_.arrays) (void)add_member(array.name);
    metadata_ = header_.metadata;
    warnings_ = header_.warnings;
  }

  // An array stays in the mapping. Of a stream the only array is read, and only once.
  [[nodiscard]] Tensor read(std::size_t member, const ArrayReading& reading) const override {
    const SafetensorsArray& array = header_.arrays[member];
    if (!array.dtype) {
      const bool is_published = safetensors_order(array.stored).has_value();
      throw Error(
          cat("dtype ", in_quotes(array.stored), is_published ? " is not supported" : " is not known"));
    }
    if (reading.header_only) return {*array.dtype, array.shape};
    const StoredArray stored = packed_array(*array.dtype, array.shape);
    if (mapping_) {
      return read_stored(stored, mapping_->bytes().data() + data_offset_ + array.begin, mapping_, reading);
    }
    if (size() != 1) throw Error("a stream of several arrays cannot be read", "", "save it to a file first");
    return read_stored(stored, source_of(*stream_), reading);
  }

  [[nodiscard]] FileInfo describe(std::size_t member) const override {
    const SafetensorsArray& array = header_.arrays[member];
    FileInfo info;
    info.dtype = array.dtype;
    info.shape = array.shape;
    info.stored = array.stored;
    info.bytes = array.end - array.begin;
    info.is_unaligned = !is_aligned(array, data_offset_);
    return info;
  }

  [[nodiscard]] std::unique_ptr<ArchiveWriter> rewrite(const std::string& path, const std::string& /*name*/,
                                                       const ArchiveOptions& options) const override {
    return write_safetensors(path, options, KeptSafetensors{mapping_, data_offset_, header_});
  }

 private:
  std::shared_ptr<const MappedFile> mapping_;
  InputFile* stream_;             // where there is no mapping
  std::int64_t data_offset_ = 0;  // in the file
  SafetensorsHeader header_;
};

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
    .open_archive = [](InputFile& file) -> std::unique_ptr<Archive> {
      return std::make_unique<SafetensorsArchive>(file);
    },
    .create_archive = [](const std::string& path,
                         const ArchiveOptions& options) { return write_safetensors(path, options); },
    .require_name = require_safetensors_name,
    .keeps_metadata = true,
    .missing = missing_dtypes(),
};

}  // namespace tensorop
