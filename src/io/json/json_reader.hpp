// Reads tensors from JSON text directly into elements, without a document tree.
//
// Two forms (docs/formats.md). Untyped: a number, string, true, false, or nested arrays of them. Described:
// {"dtype":"float32","shape":[2,2],"data":[[0,1],[2,3]]}, keys in any order, `data` nested or flat, `shape`
// optional if data shows it, `dtype` optional: without it the text is untyped.
#pragma once

#include <array>
#include <string_view>

#include "io/text/text_tensor.hpp"

namespace tensorop {

// The keys of the described form.
inline constexpr std::array<std::string_view, 3> kTensorKeys = {"dtype", "shape", "data"};

// Reads the single tensor in `text`. `as` is the dtype of an untyped document. Without `as`, integers are
// int64; numbers are float64 if any has a fraction or an exponent, or if "NaN", "Infinity" or "-Infinity"
// occur, alone or among numbers; true/false are bool, all other strings string; no elements: int64.
//
// Numbers are converted from text directly to the dtype: integers exact or refused; floats rounded once, ties
// to even, and refused if a finite one would become infinite; "-0" is minus zero in a float. Complex elements
// are [re, im]. Integer dtypes take no fractions; bool takes only true and false.
//
// Throws Error for malformed JSON, ragged or mixed arrays, unknown or duplicate keys, a rank above 64, data
// that does not fill the shape; it names the element ("element [1,2]") or the place in the text. Memory is
// proportional to the elements read so far, whatever sizes the text declares.
[[nodiscard]] TextTensor read_json(std::string_view text, const TextReading& reading);

// Stops reading at the data, or at the first element of an untyped text.
[[nodiscard]] TextHead peek_json(std::string_view text);

}  // namespace tensorop
