// Reading tensors from text tables: rows of numbers, one on each line. One column is a tensor of rank 1,
// several are one of rank 2, whatever the number of rows. Source: docs/formats.md, "Text tables".
#pragma once

#include <string_view>

#include "io/json/json_reader.hpp"

namespace tensorop {

// Reads the one table that `text` holds, once, from the beginning of the text on, which is in its window. A
// text without rows is a tensor of shape (0). The fields are separated as those of the first line are; by
// commas; by single tabs.
//
// dtypes and numbers are those of untyped JSON (json_reader.hpp), with other spellings (table_field.hpp).
// There are neither strings nor complex numbers. Throws Error naming line and column, both counted from 1.
// Memory stays in proportion to the elements read so far.
[[nodiscard]] JsonTensor read_table(JsonText& text, const JsonReading& reading);
[[nodiscard]] JsonTensor read_csv(JsonText& text, const JsonReading& reading);
[[nodiscard]] JsonTensor read_tsv(JsonText& text, const JsonReading& reading);

// So many bytes show whether a file is a table, unless its first field is longer.
inline constexpr std::size_t kTableDetectBytes = 512;

}  // namespace tensorop
