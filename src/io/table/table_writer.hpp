// Writing tensors as text tables, any slice by itself. Source: docs/formats.md, "Text tables".
#pragma once

#include <cstdint>

#include "io/encoding.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

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
