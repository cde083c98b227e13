// JSON string literals.
#pragma once

#include <string>
#include <string_view>

namespace tensorop {

// A JSON string literal of `text`, which must be valid UTF-8: quotes, backslashes and control characters are
// escaped exactly as by serde_json, which the reference implementation of safetensors uses.
void append_json_string(std::string& out, std::string_view text);
// append_json_string() for any bytes: invalid UTF-8 is escaped as in messages.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace tensorop
