// Little-endian numbers in binary formats, and headers made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

// The little-endian number in `bytes`, at most 8 bytes.
[[nodiscard]] inline std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

inline void append_little_endian(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

// Reads the fields of a header, from front to end. Reading past the end throws Error.
class HeaderFields {
 public:
  // `cut`, which must outlive this object, is the message of that Error.
  HeaderFields(std::span<const std::byte> bytes, std::string_view cut) : bytes_(bytes), cut_(cut) {}

  std::span<const std::byte> read_bytes(std::uint64_t count) {
    if (count > bytes_.size()) throw Error(std::string(cut_));
    const auto front = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return front;
  }
  std::string_view text(std::uint64_t count) { return bytes_text(read_bytes(count)); }
  unsigned u16() { return static_cast<unsigned>(little_endian(read_bytes(2))); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(little_endian(read_bytes(4))); }
  std::uint64_t u64() { return little_endian(read_bytes(8)); }
  [[nodiscard]] std::uint64_t left() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  std::string_view cut_;
};

}  // namespace tensorop
