// Collects the data of a text element by element: elements, dtype, shape, and messages for elements that do
// not fit. Knows neither grammars nor keys: JSON and tables of numbers use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/error.hpp"
#include "io/text/lists.hpp"
#include "io/text/number_scan.hpp"
#include "io/text/text_elements.hpp"
#include "io/text/text_tensor.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct PartFormat;

// The keys of a described text other than its data, if already read.
struct TextHeader {
  std::optional<DType> dtype = {};
  bool is_typed = false;  // the text names the dtype
  std::optional<Shape> shape = {};
};

// Thrown if an untyped text has numbers or strings of another dtype than its first element: the text must be
// read again, as `dtype`.
struct OtherDType {
  DType dtype;
};

// Returns the result of `read`, which reads the text with a DataReader and the given header; repeats it after
// OtherDType.
template <class Read>
[[nodiscard]] TextTensor read_data_text(const TextReading& reading, const Read& read) {
  try {
    return read(TextHeader{.dtype = reading.as});
  } catch (const OtherDType& found) {
    return read(TextHeader{.dtype = found.dtype});
  }
}

// Reads the value of "data", or a whole untyped document. Throws Error for an element or a list that does not
// fit.
class DataReader {
 public:
  // `header` must outlive the reader; its shape may come after the data. Messages name an element by `place`,
  // if there is one, and by its indices.
  DataReader(const TextHeader& header, const TextReading& reading, std::function<std::string()> place = {});

  void begin_list() { nesting_.open(expected()); }
  void end_list() { nesting_.close(); }
  void boolean(bool value);
  // Adds a number, given as its JSON text.
  void number(std::string_view text);
  // Adds NaN or an infinity, for texts that write these as numbers.
  void not_finite(double value);
  void string(std::string_view text);
  // Refuses an element that no dtype has: null or an object.
  [[noreturn]] void refuse(std::string_view found, std::string hint = {}) const;

  // Number of open lists.
  [[nodiscard]] std::size_t depth() const { return nesting_.depth(); }

  // Reads numbers in parts, on all threads, while they fit. `rest` is the text from an item at `offset` on.
  // Returns the number of characters read; the last of them is a mark of `format`.
  std::size_t read_ahead(std::string_view rest, std::size_t offset, const PartFormat& format);

  // Returns the tensor after all of the text has been read. Must be the last call.
  [[nodiscard]] TextTensor finish();

 private:
  [[nodiscard]] std::string_view expected() const {
    if (!dtype_) return reading_.strings ? "a number, a string, true or false" : "a number, true or false";
    if (dtype_ == DType::boolean) return "true or false";
    return dtype_ == DType::string || all_not_finite_ ? "a string" : "a number";
  }
  [[nodiscard]] std::string element() const;
  template <class T>
  void parse(std::string_view text);
  void put_beyond_int64(std::string_view text);
  [[nodiscard]] bool put_not_finite(double value);
  [[nodiscard]] bool is_inferred() const { return !header_.dtype; }
  // A text that names its dtype may round its numbers; for untyped text the caller decides.
  [[nodiscard]] Overflow overflow() const { return header_.is_typed ? Overflow::error : reading_.overflow; }
  [[nodiscard]] Exactness exactness() const { return header_.is_typed ? Exactness::any : reading_.exactness; }
  [[noreturn]] void read_again(DType dtype);
  [[nodiscard]] std::string does_not_fit(std::string_view text) const;
  template <Number T>
  [[nodiscard]] T beyond(std::string_view text, double value) const;
  [[nodiscard]] std::size_t read_parts(std::string_view text, const PartFormat& format, double likely);
  [[nodiscard]] Shape final_shape(DType dtype, std::int64_t elements) const;

  const TextHeader& header_;
  const TextReading& reading_;
  std::function<std::string()> place_;
  Nesting nesting_;
  Elements elements_;
  std::optional<DType> dtype_;         // unknown until the first element of an untyped text
  bool all_not_finite_ = false;        // TextTensor::all_not_finite, so far
  std::optional<Error> refused_;       // TextTensor::refused
  bool fits_uint64_ = true;            // no refused integer is beyond uint64
  std::size_t not_before_ = 0;         // text offset before which parts are not tried again
  std::optional<std::int64_t> ahead_;  // bytes that the meter expects, not yet read in parts
};

}  // namespace tensorop
