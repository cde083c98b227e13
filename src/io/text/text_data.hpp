// The data of a text, element by element: its elements, its dtype, its shape, and the messages for elements
// that do not fit. Knows nothing of grammars nor of keys: it serves JSON and tables of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "io/text/lists.hpp"
#include "io/text/number_scan.hpp"
#include "io/text/text_elements.hpp"
#include "io/text/text_tensor.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct PartFormat;

// The keys of a described text that stand beside its data, as far as they are known.
struct TextHeader {
  std::optional<DType> dtype = {};
  bool is_typed = false;  // the text itself names the dtype
  std::optional<Shape> shape = {};
};

// Thrown where the numbers or strings of an untyped text turn out to be of another dtype than its first
// element: the text is to be read again, as `dtype`.
struct OtherDType {
  DType dtype;
};

// What `read` returns, which reads the text by a DataReader with the header that it is given.
template <class Read>
[[nodiscard]] TextTensor read_data_text(const TextReading& reading, const Read& read) {
  try {
    return read(TextHeader{.dtype = reading.as});
  } catch (const OtherDType& found) {
    return read(TextHeader{.dtype = found.dtype});
  }
}

// The value of "data", or the whole of an untyped document. An element or a list that does not fit is thrown
// as an Error.
class DataReader {
 public:
  // `header` outlives the reader; its shape may come after the data. Messages name an element by `place`, if
  // there is one, and by its indices.
  DataReader(const TextHeader& header, const TextReading& reading, std::function<std::string()> place = {});

  void begin_list() { nesting_.open(expected()); }
  void end_list() { nesting_.close(); }
  void boolean(bool value);
  // Any number as its JSON text.
  void number(std::string_view text);
  // NaN or an infinity of a text that has them as numbers.
  void not_finite(double value);
  void string(std::string_view text);
  // An element that no dtype has: null or an object.
  [[noreturn]] void refuse(std::string_view found, std::string hint = {}) const;

  // Lists that are open.
  [[nodiscard]] std::size_t depth() const { return nesting_.depth(); }

  // Reads numbers in parts, on all threads, as long as they are there and fit: those of `rest`, the text from
  // an item at `offset` on. Returns how many characters have been read; the last of them is a mark of
  // `format`.
  std::size_t read_ahead(std::string_view rest, std::size_t offset, const PartFormat& format);

  // The tensor, once all of the text has been read. The last call.
  [[nodiscard]] TextTensor finish();

 private:
  [[nodiscard]] std::string_view expected() const {
    if (!dtype_) return "a number, a string, true or false";
    if (dtype_ == DType::boolean) return "true or false";
    return dtype_ == DType::string || all_not_finite_ ? "a string" : "a number";
  }
  [[nodiscard]] std::string element() const;
  void require_same_kind(bool is_boolean);
  void put_number(std::string_view text);
  template <class T>
  void parse(std::string_view text);
  template <class T>
  void parse_cast(std::string_view text);
  template <class T>
  [[nodiscard]] NumberStatus parse_given(std::string_view text, T& value);
  void put_beyond_int64(std::string_view text);
  [[nodiscard]] bool put_not_finite(double value);
  [[nodiscard]] bool is_inferred() const { return !header_.dtype; }
  // A text that names no dtype says what its numbers are, and nothing says that they may become others.
  [[nodiscard]] Exactness exactness() const { return header_.is_typed ? Exactness::any : reading_.exactness; }
  [[nodiscard]] Overflow overflow() const { return is_cast_ ? reading_.overflow : Overflow::error; }
  [[noreturn]] void read_again(DType dtype);
  [[nodiscard]] std::string does_not_fit(std::string_view text) const;
  [[nodiscard]] Error unfit(std::string_view text, double value) const;
  [[nodiscard]] std::size_t read_parts(std::string_view text, const PartFormat& format, double likely);
  [[nodiscard]] Shape final_shape(DType dtype, std::int64_t elements) const;

  const TextHeader& header_;
  const TextReading& reading_;
  std::function<std::string()> place_;
  Nesting nesting_;
  Elements elements_;
  std::optional<DType> dtype_;         // unknown until the first element of an untyped text
  bool is_cast_ = false;               // elements are cast to dtype_ (TextReading)
  bool is_given_ = false;              // dtype_ is that of TextReading, of an untyped text
  RoundedIntegers rounded_;            // TextTensor::rounded
  bool casts_booleans_ = false;        // and the text has true and false
  bool all_not_finite_ = false;        // TextTensor::all_not_finite, so far
  std::optional<Error> refused_;       // TextTensor::refused
  std::size_t not_before_ = 0;         // the offset in the text from which on parts are tried again
  std::optional<std::int64_t> ahead_;  // bytes of the text that the meter expects and were not read in parts
};

}  // namespace tensorop
