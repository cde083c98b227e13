// Reading a tensor from text in any format: options and result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/process/threads.hpp"
#include "base/text/error.hpp"
#include "tensor/number_text.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct TextReading {
  std::optional<DType> as = {};  // the dtype of untyped text
  // Whether untyped text without `as` may have strings; otherwise a string is refused.
  bool strings = true;
  // For a cast (convert): untyped text that begins with true or false is bool, whatever `as` is.
  bool cast = false;
  Overflow overflow = Overflow::error;   // for untyped numbers beyond a float dtype
  Exactness exactness = Exactness::any;  // of untyped numbers
  Threads threads = Threads(1);
  // Bytes of text in a part, for threads. The result does not depend on it.
  std::size_t part_bytes = std::size_t{1} << 17;
};

struct TextTensor {
  Tensor tensor;
  bool typed = false;  // the text named its dtype itself
  bool empty = false;  // untyped and without elements: any dtype is possible
  // For untyped text whose integers do not all fit in int64: the reason why it has no elements, and the dtype
  // for a cast: uint64 if it holds all of them, otherwise float64.
  std::optional<Error> refused = {};
  DType wider = DType::int64;
  std::int64_t comments = 0;  // lines that are comments
  // A float64 tensor of untyped text whose elements are all "NaN", "Infinity" or "-Infinity".
  bool all_not_finite = false;

  // The tensor. Throws Error if integers do not fit in int64.
  [[nodiscard]] Tensor checked_tensor() const {
    if (refused) throw Error(*refused);
    return tensor;
  }
};

// The properties that the beginning of a text shows.
struct TextHead {
  bool is_described = false;  // it may name its dtype, here or later
  std::optional<DType> dtype = {};
  bool has_lines = false;  // a table of strings, unless a later line begins with a number
};

}  // namespace tensorop
