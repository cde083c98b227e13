// The fields of a text table: numbers and words, as programs write them; and parts of a long table, whole
// lines, which threads read at the same time. Source: docs/formats.md, "Text tables".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/json/json_parts.hpp"

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

// Interprets the whole of `text`, which has no blanks, and may be in double quotes. Beside JSON numbers there
// are those with leading zeros (decimal), with a plus sign, and without digits on one side of the point. The
// words are true, false, nan, inf and infinity, in any case. `buffer` holds the text of the result where it
// is not that of `text`.
[[nodiscard]] TableField read_field(std::string_view text, std::string& buffer);

// Whether a field ends in front of this character.
[[nodiscard]] inline bool ends_field(int c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\n' || c == '\r';
}

// What separates two fields of a row.
enum class Separator : std::uint8_t {
  blanks,  // any number of blanks and tabs
  comma,   // blanks and tabs may stand around it
  tab,     // one tab; blanks may stand around it
};

// Lines of `columns` numbers each, divided at line breaks. One column is a list, several are a list of lists.
[[nodiscard]] PartFormat table_parts(std::int64_t columns, Separator separator);

}  // namespace tensorop
