// Reading tensors from JSON text, straight into their elements: no document tree.
//
// Two forms (docs/formats.md). Untyped: a number, string, true, false, or nested arrays of them. Described:
// {"dtype":"float32","shape":[2,2],"data":[[0,1],[2,3]]}, keys in any order, `data` nested or flat, `shape`
// optional when data shows it, `dtype` optional: without it the text is untyped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "tensor/number_text.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The keys of the described form.
inline constexpr std::array<std::string_view, 3> kTensorKeys = {"dtype", "shape", "data"};

struct JsonReading {
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

struct JsonTensor {
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

// Reads the one tensor that `text` holds.
// `as` is the dtype of an untyped document; without it integers are int64, numbers any of which has a
// fraction or an exponent are float64, and so are "NaN", "Infinity", "-Infinity" alone or among numbers;
// true/false are bool, all other strings string; no elements: int64.
//
// Numbers go from their text to the dtype: integers exact or refused; floats rounded once, ties to even, and
// refused when a finite one would become infinite; "-0" is minus zero in a float.
// Complex elements are [re, im]. Integer dtypes take no fractions; bool takes only true and false.
//
// Throws Error for malformed JSON, ragged or mixed arrays, unknown or duplicate keys, a rank above 64, data
// that does not fill the shape; it names the element ("element [1,2]") or the place in the text. Memory stays
// in proportion to the elements read so far, whatever the text promises.
[[nodiscard]] JsonTensor read_json(std::string_view text, const JsonReading& reading);

// What the beginning of a text shows of its dtype, without reading further than to its data.
struct JsonHead {
  bool is_described = false;  // it may name its dtype, later if not yet
  std::optional<DType> dtype = {};
};
[[nodiscard]] JsonHead peek_json(std::string_view text);

}  // namespace tensorop
