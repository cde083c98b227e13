// Reads the directory of a ZIP file and locates its members. Owns: the trust boundary of the format. For any
// bytes, either the directory describes ranges inside the file, or an Error says what is wrong. Nothing is
// decompressed here. Source: PKWARE APPNOTE.TXT, "General Format of a .ZIP file" to "Extensible data fields".
//
// No library is used because minizip 1.1 cannot read 64-bit sizes on a 64-bit system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

inline constexpr unsigned kZipStored = 0;
inline constexpr unsigned kZipDeflated = 8;
inline constexpr unsigned kSizesFollow = 1U << 3;  // flag: sizes and checksum follow the data
inline constexpr unsigned kNameIsUtf8 = 1U << 11;  // flag
inline constexpr unsigned kZip64Extra = 0x0001;    // the extra field of sizes and offsets in 64 bits

// True if the first bytes of a file are the start of a ZIP file, also of an empty one.
[[nodiscard]] bool begins_as_zip(std::string_view head);

// A member as described by the directory.
struct ZipMember {
  std::string name;               // in UTF-8
  std::string_view stored_name;   // bytes in the file: CP437, or UTF-8 if a flag says so
  std::int64_t offset = 0;        // offset of the local header in the file
  std::int64_t packed_bytes = 0;  // compressed size, at most the file size
  std::int64_t bytes = 0;         // declared uncompressed size
  std::uint32_t crc = 0;          // CRC-32 of the uncompressed bytes
  unsigned method = 0;
  unsigned flags = 0;
  unsigned version = 0;                   // ZIP version needed to extract it, times 10
  std::span<const std::byte> entry = {};  // the whole directory entry; a view into the file
};

struct ZipDirectory {
  std::int64_t offset = 0;  // offset in the file; the members lie before it
  std::vector<ZipMember> members;
  std::span<const std::byte> comment = {};  // at the end of the file
};

// Throws Error if the directory is missing, is malformed, does not fit the file, has a duplicate name, or has
// overlapping members. The members are views into `file`.
[[nodiscard]] ZipDirectory read_zip_directory(std::span<const std::byte> file);

// The local header of a member, behind which its bytes lie. Throws Error if it differs from the directory.
[[nodiscard]] std::span<const std::byte> local_header(std::span<const std::byte> file,
                                                      const ZipDirectory& directory, const ZipMember& member);
// The compressed bytes of a member. Throws Error as local_header() does, and for encryption, methods other
// than the two above, and ZIP versions after 4.5 (zip64).
[[nodiscard]] std::span<const std::byte> packed_bytes(std::span<const std::byte> file,
                                                      const ZipDirectory& directory, const ZipMember& member);

}  // namespace tensorop
