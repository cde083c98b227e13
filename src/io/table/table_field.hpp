// One field of a text table: a number or a word, as programs write them.
// Source: docs/formats.md, "Text tables".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tensorop {

enum class FieldKind : std::uint8_t {
  number,      // text: as a JSON number
  not_finite,  // value
  boolean,     // value: 0 or 1
  other,
};

struct TableField {
  FieldKind kind = FieldKind::other;
  std::string_view text = {};
  double value = 0;
};

// Interprets the whole of `text`, which has no blanks. Beside JSON numbers there are those with leading zeros
// (decimal), with a plus sign, and without digits on one side of the point. The words are true, false, nan,
// inf and infinity, in any case. `buffer` holds the text of the result where it is not that of `text`.
[[nodiscard]] TableField read_field(std::string_view text, std::string& buffer);

// Whether a field ends in front of this character.
[[nodiscard]] inline bool ends_field(int c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\n' || c == '\r';
}

}  // namespace tensorop
