// Where the blocks of a deflated member begin: an extra field of the zip directory, so that they can be
// inflated on all threads. Other programs skip it. It is only a hint: what inflates the blocks finds out
// whether it is true.
//
// The field has the number kBlockIndexField. Its content are 32-bit little-endian numbers: the bytes of a
// segment before deflating, then the packed bytes of each segment. A segment is one block, or several blocks
// of a very large member; the last one may have fewer bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tensorop {

inline constexpr unsigned kBlockIndexField = 0x6F74;

// The field of a member whose blocks of kDeflateBlock bytes have these packed sizes. Empty where it is one
// block, or larger than the field can say (128 GiB).
[[nodiscard]] std::string block_index(std::span<const std::uint32_t> packed);

struct Segments {
  std::int64_t bytes = 0;            // of each before deflating; the last one may have fewer
  std::vector<std::int64_t> begins;  // in the packed bytes, ascending; at the end their number

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(begins.size()) - 1; }
};

// What the extra fields of a member say that has so many bytes, packed and unpacked. Nothing where there is
// no such field, or where it cannot be true.
[[nodiscard]] std::optional<Segments> read_block_index(std::span<const std::byte> fields,
                                                       std::int64_t packed_bytes, std::int64_t bytes);

}  // namespace tensorop
