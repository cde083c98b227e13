// Reading a tensor from text in any format: options and result.
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
  // Casts elements of untyped text to `as`, like convert (tensor/convert_elements.hpp), if they have another
  // dtype: fractions become integers, numbers become bool, and true and false become numbers.
  bool cast = false;
  Overflow overflow = Overflow::error;  // for a cast: values beyond a small float
  // Applies to untyped text. A number that must fit but does not is refused if `as` is given; otherwise it is
  // rounded and counted.
  Exactness exactness = Exactness::any;
  Threads threads = Threads(1);
  // Bytes of text in a part, for threads. The result does not depend on it.
  std::size_t part_bytes = std::size_t{1} << 17;
};

// Integers that float64 does not hold exactly, in untyped text that is read as float64.
struct RoundedIntegers {
  std::int64_t count = 0;
  std::string first = {};  // "element [0,1] = 9007199254740993 becomes 9007199254740992.0"
};

struct TextTensor {
  Tensor tensor;
  bool typed = false;  // the text named its dtype itself
  bool empty = false;  // untyped and without elements: any dtype is possible
  // For untyped text whose integers do not all fit in int64: the reason why it has no elements.
  std::optional<Error> refused = {};
  RoundedIntegers rounded = {};
  // A float64 tensor of untyped text whose elements are all "NaN", "Infinity" or "-Infinity".
  bool all_not_finite = false;

  // The tensor. Throws Error if integers do not fit in int64.
  [[nodiscard]] Tensor take() const {
    if (refused) throw Error(*refused);
    return tensor;
  }
};

// The properties that the beginning of a text shows.
struct TextHead {
  bool is_described = false;  // it may name its dtype, here or later
  std::optional<DType> dtype = {};
};

}  // namespace tensorop
