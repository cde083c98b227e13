// Text tables: rows of numbers, one on each line. Source: docs/formats.md, "Text tables".
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/encoding.hpp"
#include "io/json/json_reader.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Reading. One column is a tensor of rank 1, several are one of rank 2, whatever the number of rows.
//
// Reads the one table that `text` holds, once, from the beginning of the text on, which is in its window. A
// text without rows is a tensor of shape (0). The fields are separated as those of the first row are; by
// commas; by single tabs. Lines that begin with "#" are comments. A field may be in double quotes.
//
// dtypes and numbers are those of untyped JSON (json_reader.hpp), with other spellings (table_parts.hpp).
// There are neither strings nor complex numbers. Throws Error naming line and column, both counted from 1.
// Memory stays in proportion to the elements read so far.
[[nodiscard]] JsonTensor read_table(JsonText& text, const JsonReading& reading);
[[nodiscard]] JsonTensor read_csv(JsonText& text, const JsonReading& reading);
[[nodiscard]] JsonTensor read_tsv(JsonText& text, const JsonReading& reading);

// So many bytes show whether a file is a table, unless its first field is longer.
inline constexpr std::size_t kTableDetectBytes = 512;

// Writing, any slice by itself.
//
// A row on each line: of rank 0 and 1 one element, of rank 2 a row of the tensor, separated by blanks, commas
// or tabs. Numbers are written as in JSON, not-finite ones without quotes; bool is true and false. Without
// rows the text is empty. Throws Error for strings, complex numbers, a rank above 2, and rows without
// elements. `characters` is not used.
inline constexpr DTypeSet kNotInTables = DTypeSet(DType::string) | kComplexTypes;
[[nodiscard]] Encoding text_encoding(DType dtype, const Shape& shape, std::int64_t characters);
[[nodiscard]] Encoding csv_encoding(DType dtype, const Shape& shape, std::int64_t characters);
[[nodiscard]] Encoding tsv_encoding(DType dtype, const Shape& shape, std::int64_t characters);

// Whether a table that was written from a tensor of this shape is read as one: not of rank 0, one column, or
// no rows of several.
[[nodiscard]] bool table_keeps_shape(const Shape& shape);

}  // namespace tensorop
