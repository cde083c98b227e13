// The directory of a zip file, and where its members are.
// Owns: the trust boundary of the format. Whatever the bytes, the directory describes ranges inside the file,
// or an Error says what is wrong. Nothing is unpacked here. Source: PKWARE's APPNOTE.TXT, sections 4.3
// to 4.5.
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

// True when the first bytes of a file are those of a zip, an empty one included.
[[nodiscard]] bool begins_as_zip(std::string_view head);

// A member as the directory describes it.
struct ZipMember {
  std::string name;               // in UTF-8
  std::string_view stored_name;   // its bytes in the file: CP437 unless a flag says that they are UTF-8
  std::int64_t offset = 0;        // of its own header in the file
  std::int64_t packed_bytes = 0;  // not more than the file has
  std::int64_t bytes = 0;         // unpacked: a promise
  std::uint32_t crc = 0;          // CRC-32 of the unpacked bytes
  unsigned method = 0;
  unsigned flags = 0;
  unsigned version = 0;                   // of zip that is needed to extract it, times 10
  std::span<const std::byte> entry = {};  // of the directory, the whole of it; in the file
};

struct ZipDirectory {
  std::int64_t offset = 0;  // in the file; the members lie before it
  std::vector<ZipMember> members;
  std::span<const std::byte> comment = {};  // at the end of the file
};

// Throws Error when there is no directory, when it is malformed, does not fit the file, has a duplicate name,
// or has members that overlap. The members refer to `file`.
[[nodiscard]] ZipDirectory read_zip_directory(std::span<const std::byte> file);

// The packed bytes of a member. Throws Error when its own header is not what the directory says, and for
// encryption, methods other than the two above, and versions of zip after 4.5, which has zip64.
[[nodiscard]] std::span<const std::byte> packed_bytes(std::span<const std::byte> file,
                                                      const ZipDirectory& directory, const ZipMember& member);

}  // namespace tensorop
