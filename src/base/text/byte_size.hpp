// Sizes in bytes as text for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tensorop {

// "1 byte", "512 bytes", "1.5 GiB".
[[nodiscard]] std::string byte_size_text(std::int64_t bytes);

// Parses a positive integer with an optional suffix K, M or G in either case: powers of 1024. Returns nothing
// for any other text, and for more than 2^63 - 1 bytes.
[[nodiscard]] std::optional<std::int64_t> parse_byte_size(std::string_view text);

}  // namespace tensorop
