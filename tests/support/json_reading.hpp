// A JSON text, or one of a text table, read as a tensor in each of the ways in which it can arrive, with what
// came of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "io/json/json_reader.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// A tensor, or the message that refused the text.
struct JsonOutcome {
  std::string refused;  // the hint on a second line; empty when the text was read
  Tensor tensor;
  bool typed = false;
  bool empty = false;
};

// How a text is divided among threads.
struct JsonParts {
  int threads = 1;
  std::optional<std::size_t> bytes = {};  // of each part; the reader's own choice without it
  TextTensor (*read)(std::string_view text,
                     const TextReading& reading) = read_json;  // or the reader of another text format
};

// Reads `text` from memory. `as` is the dtype of an untyped text.
[[nodiscard]] JsonOutcome read_json_whole(std::string_view text, std::optional<DType> as,
                                          const JsonParts& parts = {});

// Empty when two outcomes are the same to the last bit and the last letter; else the difference.
[[nodiscard]] std::string difference(const JsonOutcome& a, const JsonOutcome& b);

}  // namespace tensorop
