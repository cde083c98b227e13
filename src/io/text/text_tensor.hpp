// A tensor that is read from text, in any format: how it is read, and what comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "tensor/number_text.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct TextReading {
  std::optional<DType> as = {};  // the dtype of untyped text
  // Elements of untyped text are cast to `as`, as convert does (tensor/convert_elements.hpp), where they are
  // not of that dtype: numbers with a fraction become integers, numbers become bool, and true and false
  // numbers.
  bool cast = false;
  Overflow overflow = Overflow::error;  // of a cast: what a small float does not hold
  // Applies to untyped text. A number that must fit but does not is refused if `as` is given; otherwise it is
  // rounded and counted.
  Exactness exactness = Exactness::any;
  Threads threads = Threads(1);
  // Numbers are read in parts of so many bytes of text, which the threads share. No result depends on it.
  std::size_t part_bytes = std::size_t{1} << 17;
};

// Integers that float64 does not hold exactly, in a float64 text that names no dtype.
struct RoundedIntegers {
  std::int64_t count = 0;
  std::string first = {};  // "element [0,1] = 9007199254740993 becomes 9007199254740992.0"
};

struct TextTensor {
  Tensor tensor;
  bool typed = false;  // the text named its dtype itself
  bool empty = false;  // untyped and without elements: any dtype would do as well
  // Of an int64 tensor of untyped text: why it has no elements, where int64 does not hold them all.
  std::optional<Error> refused = {};
  RoundedIntegers rounded = {};
  // A float64 tensor of untyped text whose elements are all "NaN", "Infinity" or "-Infinity".
  bool all_not_finite = false;

  // The tensor. Throws Error when integers do not fit in int64.
  [[nodiscard]] Tensor take() const {
    if (refused) throw Error(*refused);
    return tensor;
  }
};

// What the beginning of a text shows of its dtype.
struct TextHead {
  bool is_described = false;  // it may name its dtype, later if not yet
  std::optional<DType> dtype = {};
};

}  // namespace tensorop
