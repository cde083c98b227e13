// Writing tensors as JSON text, any slice by itself, so that slices can be written by several threads.
// Numbers are the shortest text that reads back to the same value in their dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/array/encoding.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// How floats are written: by the shortest text that their dtype reads back, or by one that float64 reads back
// as the same number, for readers that do not know the dtype.
enum class Digits : bool { shortest, exact };

// An element as JSON: 1, 1.0, -0.0, 1e+20, "NaN", true, [re,im], "text". Floats always have a point or an
// exponent.
[[nodiscard]] std::string json_element(DType dtype, const std::byte* element,
                                       Digits digits = Digits::shortest);
// That at a flat position of a tensor.
[[nodiscard]] std::string json_element(const Tensor& tensor, std::int64_t position,
                                       Digits digits = Digits::shortest);

// Appends elements [first, first + count) of a tensor of `shape` (elements at `elements`) with the brackets
// and commas of the nested form that stand before each of them and, after the last element of a row, after
// it. The texts of consecutive slices, one after the other, are the nested form. `shape` has no zero
// dimension; rank 0 is the element alone.
void append_json_slice(std::string& out, DType dtype, const Shape& shape, std::int64_t first,
                       std::int64_t count, const std::byte* elements, Digits digits = Digits::shortest);

// The nested form of a tensor without elements: [], [[],[]]. Throws Error when that would be more than a
// million empty lists.
[[nodiscard]] std::string json_of_empty(const Shape& shape);
// That of any tensor: [1.0,2.0].
[[nodiscard]] std::string nested_json(const Tensor& tensor);

// The text before and after the data in the described form:
// {"dtype":"float32","shape":[2,2],"data": and }.
[[nodiscard]] std::string json_prefix(DType dtype, const Shape& shape);
inline constexpr std::string_view kJsonSuffix = "}";

// A JSON string literal of `text`, which is valid UTF-8: quotes, backslashes and control characters escaped,
// byte for byte as serde_json does, which the reference implementation of safetensors uses.
void append_json_string(std::string& out, std::string_view text);
// The same of any bytes: those that are not UTF-8 are escaped as messages do it.
[[nodiscard]] std::string json_string(std::string_view text);

// Format::encode of JSON: the described form, or the nested one, on a line.
[[nodiscard]] Encoding json_encoding(DType dtype, const Shape& shape, std::int64_t strings,
                                     std::string_view name);
[[nodiscard]] Encoding nested_json_encoding(DType dtype, const Shape& shape, std::int64_t strings,
                                            std::string_view name);

}  // namespace tensorop
