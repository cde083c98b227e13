// Reads safetensors files: arrays one after the other, and a header with their places.
// io/safetensors/safetensors_header.hpp reads the header, io/safetensors/safetensors_writer.hpp writes files.
#include <memory>
#include <utility>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"
#include "io/json/json_check.hpp"
#include "io/little_endian.hpp"
#include "io/safetensors/safetensors_header.hpp"
#include "io/safetensors/safetensors_writer.hpp"

namespace tensorop {
namespace {

// Whether a plausible header length is followed by a JSON object or white space.
bool begins_as_safetensors(std::string_view head) {
  if (head.size() <= to_size(kSafetensorsPrefix)) return false;
  const std::uint64_t length = little_endian(text_bytes(head.substr(0, to_size(kSafetensorsPrefix))));
  constexpr std::string_view kFirst = "{ \t\r\n";
  return length <= static_cast<std::uint64_t>(kMostSafetensorsHeader) &&
         kFirst.find(head[8]) != std::string_view::npos;
}

// All members are arrays, in the order of the header.
class SafetensorsArchive final : public Archive {
 public:
  // Reads the header. Throws Error.
  explicit SafetensorsArchive(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {
    const std::string_view bytes = bytes_text(file_->bytes());
    const std::int64_t file_bytes = to_int64(bytes.size());
    const std::int64_t header_bytes = safetensors_header_bytes(bytes, file_bytes);
    data_offset_ = kSafetensorsPrefix + header_bytes;
    header_ = parse_safetensors_header(bytes.substr(to_size(kSafetensorsPrefix), to_size(header_bytes)),
                                       file_bytes - data_offset_);
    for (const SafetensorsArray& array : header_.arrays) (void)add_member(array.name);
    metadata_ = header_.metadata;
    warnings_ = header_.warnings;
  }

  [[nodiscard]] ArrayEntry make_entry(std::size_t member) const override {
    const SafetensorsArray& array = header_.arrays[member];
    ArrayEntry out;
    if (array.dtype) {
      out = packed_entry(*array.dtype, array.shape);
    } else {
      const bool is_published = safetensors_order(array.stored).has_value();
      out.refused = std::make_shared<Error>(
          cat("dtype ", in_quotes(array.stored), is_published ? " is not supported" : " is not known"));
      out.shape = array.shape;
    }
    out.stored = array.stored;
    out.bytes = array.end - array.begin;
    out.is_unaligned = !is_aligned(array, data_offset_);
    out.owner = file_;
    out.offset = data_offset_ + array.begin;
    return out;
  }

 private:
  std::shared_ptr<const MappedFile> file_;
  std::int64_t data_offset_ = 0;  // offset in the file
  SafetensorsHeader header_;
};

// A malformed header needs no more bytes.
std::int64_t safetensors_enough(std::string_view head) {
  try {
    const std::int64_t bytes = safetensors_header_bytes(head, std::nullopt);
    const std::string_view json = head.substr(to_size(kSafetensorsPrefix));
    if (bytes > to_int64(json.size()))
      return JsonCheck()(json) ? StreamReading::kUnknown : bytes + kSafetensorsPrefix;
    // One byte more, to detect data that goes on.
    const auto header = parse_safetensors_header(json.substr(0, to_size(bytes)), std::nullopt);
    return saturated(checked_add(kSafetensorsPrefix + bytes + 1, header.data_bytes));
  } catch (const Error&) {
    return 0;
  }
}

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
    .detects = begins_as_safetensors,
    .is_binary = true,
    .has_arrays = true,
    .enough_bytes = safetensors_enough,
    .open = [](const InputFile& file) -> std::unique_ptr<Archive> {
      return std::make_unique<SafetensorsArchive>(file.mapping());
    },
    .create_archive = [](const std::string& path,
                         const ArchiveOptions& options) { return write_safetensors(path, options); },
    .require_name = require_safetensors_name,
    .least_bytes = safetensors_bytes,
    .has_index = true,
    .keeps_metadata = true,
    .missing = missing_dtypes(),
};

}  // namespace tensorop
