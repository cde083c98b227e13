// Numbers of bytes as people read and write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tensorop {

// "1 byte", "512 bytes", "1.5 GiB".
[[nodiscard]] std::string byte_size_text(std::int64_t bytes);

// A positive integer, which may be followed by K, M or G in any case: powers of 1024. Nothing for any other
// text, and for more than 2^63 - 1 bytes.
[[nodiscard]] std::optional<std::int64_t> parse_byte_size(std::string_view text);

}  // namespace tensorop
