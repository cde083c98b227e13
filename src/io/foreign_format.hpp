// Names what a file is that tensorop does not read, so that a message can say it.
#pragma once

#include <string>
#include <string_view>

namespace tensorop {

// "a Git LFS pointer", "gzip": what a file with these first bytes is known to be, besides the formats of
// io/format.hpp; empty where nothing is known of it.
[[nodiscard]] std::string_view foreign_format(std::string_view head);
inline constexpr std::size_t kForeignBytes = 64;  // enough of them

// The first bytes of a file, for messages: "'version https://gi...'", or "bytes 1f 8b 08 00" where they are
// no text.
[[nodiscard]] std::string first_bytes(std::string_view head);

}  // namespace tensorop
