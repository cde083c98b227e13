// The records of a ZIP file. Source: PKWARE APPNOTE.TXT, "Local file header", "Data descriptor", "Central
// directory structure" to "End of central directory record", "Zip64 Extended Information Extra Field".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/npz/zip_directory.hpp"

namespace tensorop {

// Stored data begins at a multiple of as many bytes.
inline constexpr std::int64_t kDataAlignment = 64;

// A member that is written.
struct ZipEntry {
  std::string name = {};    // "x.npy"
  std::int64_t offset = 0;  // offset of the local header in the file
  std::int64_t bytes = 0;
  std::int64_t packed_bytes = 0;
  std::uint32_t crc = 0;
  bool is_deflated = false;
  bool in_zip64 = false;      // local header has 64-bit sizes
  bool sizes_follow = false;  // in a data descriptor
};

// Sizes and offsets from `zip64_from` on are written in zip64 form.
class ZipRecords {
 public:
  explicit ZipRecords(std::int64_t zip64_from) : zip64_from_(zip64_from) {}

  [[nodiscard]] bool needs_zip64(std::int64_t bytes) const { return bytes >= zip64_from_; }
  // `complete`: with sizes and checksum; they do not change the length.
  [[nodiscard]] static std::string local_header(const ZipEntry& entry, bool complete);
  // The record after the data of a member whose sizes follow.
  [[nodiscard]] static std::string descriptor(const ZipEntry& entry);
  [[nodiscard]] std::string directory_entry(const ZipEntry& entry) const;
  // The directory entry of a member of another archive, with a new offset and, unless that is null, another
  // name. Throws Error.
  [[nodiscard]] std::string kept_entry(const ZipMember& member, std::int64_t offset,
                                       const std::string* name) const;
  // The local header `old` of such a member at the new offset, with another name. The offset
  // of the data in the file, divided by `alignment`, has this remainder. Throws Error.
  [[nodiscard]] static std::string kept_header(std::string_view old, const std::string& name,
                                               std::int64_t offset, std::int64_t alignment,
                                               std::int64_t remainder);
  // The end of a file whose directory of `members` entries has `bytes` bytes at `offset`.
  [[nodiscard]] std::string end_of_directory(std::int64_t members, std::int64_t offset, std::int64_t bytes,
                                             std::string_view comment) const;

 private:
  // The value of a 32-bit size field: all ones if the zip64 field has the size.
  [[nodiscard]] std::int64_t limited(std::int64_t size) const;

  std::int64_t zip64_from_;
};

}  // namespace tensorop
