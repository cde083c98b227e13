// Text tables: rows of numbers, one on each line. Fields in the spellings that programs write; parts (whole
// lines) of a long table, which threads read concurrently; and writing. Source: docs/formats.md, "Text
// tables".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/array/encoding.hpp"
#include "io/text/number_parts.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

struct Format;

enum class FieldKind : std::uint8_t {
  number,      // text: a JSON number
  not_finite,  // value
  boolean,     // value: 0 or 1
  other,
};

struct TableField {
  FieldKind kind = FieldKind::other;
  std::string_view text = {};
  double value = 0;
};

// Interprets the whole field `text`, which has no blanks and may be in double quotes. Accepts JSON numbers,
// also with leading zeros (decimal), a plus sign, or no digits on one side of the point. The words are true,
// false, nan, inf and infinity, in any case. `buffer` holds the text of the result if it differs from `text`.
[[nodiscard]] TableField read_field(std::string_view text, std::string& buffer);

// Whether this character ends a field.
[[nodiscard]] inline bool ends_field(int c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\n' || c == '\r';
}

// The separator of the fields in a row.
enum class Separator : char {
  blanks = ' ',  // any number of blanks and tabs
  comma = ',',   // blanks and tabs around it are allowed
  tab = '\t',    // one tab; blanks around it are allowed
};

// Lines of `columns` numbers each, divided at line breaks. One column is a list, several columns are a list
// of lists.
[[nodiscard]] PartFormat table_parts(std::int64_t columns, Separator separator);

// Whether a line that begins with `text`, after its blanks, is a comment: "#" alone, or "#" and a blank.
[[nodiscard]] inline bool begins_comment(std::string_view text) {
  return text.starts_with('#') &&
         (text.size() == 1 || std::string_view(" \t\r\n").find(text[1]) != text.npos);
}

// Whether a table without a dtype has strings if `text` begins its first row, after its blanks: a field that
// is neither a number nor meant as one, or a quoted field alone on its line.
[[nodiscard]] bool begins_strings(std::string_view text);

// The column called `name` of a table with a header line, as a table of one column with the same lines: a
// comment is in the place of the header. A field is quoted as in RFC 4180; an empty one is an empty string.
// In kTextFormat the header shows whether tabs or commas separate the fields. Throws Error.
[[nodiscard]] std::string table_column(std::string_view text, const Format& format, std::string_view name);

// Number of first bytes of a file that show whether it is a table, unless its first field is longer.
inline constexpr std::size_t kTableDetectBytes = 512;

// Writes tables, each slice independently. Each line is an element of a tensor of rank 0 or 1, or a row of a
// tensor of rank 2. Numbers are written as in JSON, but non-finite numbers without quotes; bool as true and
// false; a string in quotes if it would not read back without them. A tensor without rows is an empty text.
// Throws Error for complex numbers, a rank above 2 (strings: above 1), and rows without elements.
[[nodiscard]] Encoding table_encoding(DType dtype, const Shape& shape, Separator separator);

// Format::keeps_shape of tables: false for rank 0, for rank 2 with one column, and for rank 2 without rows.
[[nodiscard]] bool table_keeps_shape(const Shape& shape);
// Format::measure_strings of tables: throws Error for a string with a NUL byte.
[[nodiscard]] std::int64_t require_no_nul(std::span<const StringRef> strings);
// Format::remarks of tables.
[[nodiscard]] std::string table_remarks(std::span<const std::byte> file);

}  // namespace tensorop
