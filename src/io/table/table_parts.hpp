// Text tables: rows of numbers, one on each line. Their fields, numbers and words, as programs write them;
// parts of a long table, whole lines, which threads read at the same time; and writing. Source:
// docs/formats.md, "Text tables".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/array/encoding.hpp"
#include "io/text/number_parts.hpp"
#include "tensor/shape.hpp"

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
enum class Separator : char {
  blanks = ' ',  // any number of blanks and tabs
  comma = ',',   // blanks and tabs may stand around it
  tab = '\t',    // one tab; blanks may stand around it
};

// Lines of `columns` numbers each, divided at line breaks. One column is a list, several are a list of lists.
[[nodiscard]] PartFormat table_parts(std::int64_t columns, Separator separator);

// Number of first bytes of a file that show whether it is a table, unless its first field is longer.
inline constexpr std::size_t kTableDetectBytes = 512;

// Writing, any slice by itself. A row on each line: of rank 0 and 1 one element, of rank 2 a row of the
// tensor. Numbers are written as in JSON, not-finite ones without quotes; bool is true and false. Without
// rows the text is empty. Throws Error for strings, complex numbers, a rank above 2, and rows without
// elements.
inline constexpr DTypeSet kNotInTables = DTypeSet(DType::string) | kComplexTypes;
[[nodiscard]] Encoding table_encoding(DType dtype, const Shape& shape, Separator separator);

}  // namespace tensorop
