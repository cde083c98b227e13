// Reads a JSON text as a tensor, by the rules of docs/formats.md: slow and obvious, and independent of
// the reader in src/io. nlohmann's parser says what is JSON, the C library rounds float32 and float64, and
// tensor/number_text.hpp all floats of 16 bits and fewer: number_text_test.cpp and io/number_boundaries.py
// have an oracle of that.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_reading.hpp"

namespace tensorop {

struct JsonMeaning {
  DType dtype = DType::int64;
  Shape shape;
  std::string bytes;                 // of the elements, as they are in memory; none of strings
  std::vector<std::string> strings;  // the elements of dtype string
  bool typed = false;
  bool empty = false;
};

// Nothing where the text is to be refused. `as` is the dtype of an untyped text.
[[nodiscard]] std::optional<JsonMeaning> json_meaning(std::string_view text, std::optional<DType> as);

// Empty when the outcome is what the text means, to the last bit; else the difference.
[[nodiscard]] std::string difference(const JsonOutcome& outcome, const std::optional<JsonMeaning>& meaning);

}  // namespace tensorop
