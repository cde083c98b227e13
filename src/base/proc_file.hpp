// The small files in which the system tells of itself: /proc, /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tensorop {

// The text of such a file; empty when it cannot be read.
[[nodiscard]] std::string read_proc_file(const std::string& path);

// The number that follows the first `key` in `text` and blanks; nothing where there is none.
[[nodiscard]] std::optional<std::int64_t> number_after(std::string_view text, std::string_view key);

// The smaller of the two, of those that are known.
void take_least(std::optional<std::int64_t>& least, const std::optional<std::int64_t>& other);

}  // namespace tensorop
