// Reading tensors from JSON text, straight into their elements: no document tree.
//
// Two forms (docs/formats.md). Untyped: a number, string, true, false, or nested arrays of them. Described:
// {"dtype":"float32","shape":[2,2],"data":[[0,1],[2,3]]}, keys in any order, `data` nested or flat, `shape`
// optional when data shows it, `dtype` optional: without it the text is untyped.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/input_file.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// JSON text that may still be arriving: block by block from the front, and again after rewind().
class JsonText {
 public:
  // Text in memory, kept alive by `owner`.
  JsonText(std::string_view whole, std::shared_ptr<const void> owner);
  // A stream of which `read_so_far` has been read already. What arrives is kept for rewind().
  JsonText(InputFile stream, std::string read_so_far);

  void rewind() { next_ = 0; }
  // The next block, as soon as there is one; empty at the end. Valid until the next call.
  [[nodiscard]] std::string_view next();
  // All that next() has returned since the beginning. Valid until the next call of it.
  [[nodiscard]] std::string_view so_far() const {
    return (stream_ ? std::string_view(kept_) : whole_).substr(0, next_);
  }

 private:
  std::string_view whole_;
  std::shared_ptr<const void> owner_;
  std::optional<InputFile> stream_;
  std::string kept_;
  std::size_t next_ = 0;
};

struct JsonTensor {
  Tensor tensor;
  bool typed = false;  // the text named its dtype itself
  bool empty = false;  // untyped and without elements: any dtype would do as well
};

// Reads the one tensor that `text` holds. `as` is the dtype of an untyped document; without it integers are
// int64, numbers any of which has a fraction or an exponent are float64, and "NaN", "Infinity", "-Infinity"
// among numbers are float64 too (without a number they are strings); true/false are bool, strings string; no
// elements: int64.
//
// Numbers go from their text to the dtype: integers exact or refused; floats rounded once, ties to even, and
// refused when a finite one would become infinite; "-0" is minus zero in a float. Complex elements are
// [re, im]. Integer dtypes take no fractions; bool takes only true and false.
//
// Throws Error for malformed JSON, ragged or mixed arrays, unknown or duplicate keys, a rank above 64, data
// that does not fill the shape; it names the element ("element [1,2]") or the byte. Memory stays in
// proportion to the text read so far, whatever the text promises.
//
// The text is read a second time if its beginning does not show how to read it: data before "dtype", integers
// before the first fraction.
[[nodiscard]] JsonTensor read_json(JsonText& text, std::optional<DType> as);

}  // namespace tensorop
