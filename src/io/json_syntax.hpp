// Messages for malformed JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tensorop {

// nlohmann's message in our words: "malformed JSON at line 1, column 3: MESSAGE (last read: 'TOKEN')". It is
//     PREFIX parse error at line 1, column 3: syntax error while parsing value - MESSAGE; last read: 'TOKEN';
//     expected X
// `lines_before` are lines of the document that the parser has not seen.
[[nodiscard]] Error json_syntax_error(std::string_view message, const std::string& token,
                                      std::int64_t lines_before = 0);

}  // namespace tensorop
