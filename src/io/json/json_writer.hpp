// Writes tensors as JSON text. Each slice is written independently, so that several threads can write slices.
// Numbers are the shortest text that reads back to the same value in their dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/array/encoding.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// How floats are written: as the shortest text that reads back in their dtype, or as text that float64 reads
// back exactly, for readers that do not know the dtype.
enum class Digits : bool { shortest, exact };

// An element as JSON: 1, 1.0, -0.0, 1e+20, "NaN", true, [re,im], "text". Floats always have a point or an
// exponent.
[[nodiscard]] std::string json_element(DType dtype, const std::byte* element,
                                       Digits digits = Digits::shortest);
// The element at a flat position of a tensor.
[[nodiscard]] std::string json_element(const Tensor& tensor, std::int64_t position,
                                       Digits digits = Digits::shortest);

// Appends elements [first, first + count) of a tensor of `shape` (elements at `elements`) in the nested form.
// An element's text includes the brackets and commas before it and, at the end of a row, after it: the texts
// of consecutive slices concatenate to the nested form. `shape` has no zero dimension; rank 0 is the element
// alone.
void append_json_slice(std::string& out, DType dtype, const Shape& shape, std::int64_t first,
                       std::int64_t count, const std::byte* elements, Digits digits = Digits::shortest);

// The nested form of a tensor without elements: [], [[],[]]. Throws Error if it has more than a million empty
// lists.
[[nodiscard]] std::string json_of_empty(const Shape& shape);
// The nested form of any tensor: [1.0,2.0].
[[nodiscard]] std::string nested_json(const Tensor& tensor);

// The text before and after the data in the described form:
// {"dtype":"float32","shape":[2,2],"data": and }.
[[nodiscard]] std::string json_prefix(DType dtype, const Shape& shape);
inline constexpr std::string_view kJsonSuffix = "}";

// Format::encode of JSON: the described or the nested form, on one line.
[[nodiscard]] Encoding json_encoding(DType dtype, const Shape& shape, std::int64_t strings,
                                     std::string_view name);
[[nodiscard]] Encoding nested_json_encoding(DType dtype, const Shape& shape, std::int64_t strings,
                                            std::string_view name);

}  // namespace tensorop
