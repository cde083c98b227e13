// Parts of a long text of numbers, which threads read concurrently. A part detects a misfit but does not
// report it: DataReader (io/text/text_data.hpp) reads the text again and reports the fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/lists.hpp"
#include "io/text/number_scan.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

// A part of a text of numbers, from after a mark (PartFormat) to after another.
struct NumberPart {
  std::string_view text;
  std::int64_t elements = 0;  // number of elements, if the part fits
  std::ptrdiff_t deeper = 0;  // lists that begin minus lists that end
  std::byte* out = nullptr;   // destination of its numbers
  std::optional<PartLists> lists = {};
  bool fits = false;
};

// How to divide and read a text of numbers.
struct PartFormat {
  char mark;  // ends a part
  // Sets part.elements and part.deeper.
  std::function<void(NumberPart& part)> count;
  // Reads the numbers of a part as `dtype`, a real or complex dtype, to part.out, and sets part.fits: false
  // if the part differs in form from the text before it; the contents of part.out are then unspecified.
  std::function<void(NumberPart& part, DType dtype, Exactness exactness)> read;
};

// Reads the numbers of a part. `format` is copied for each part; its functions return false if the part does
// not fit:
//   kMark                            as PartFormat::mark
//   begin(at, lists)                 steps over the text before a number
//   scan(at, end, value, exactness)  reads a number, as scan_number() does
//   end(at, lists)                   steps over the text after it; a mark ends the part
template <Number T, class Format>
[[nodiscard]] bool read_part(NumberPart& part, Format format, Exactness exactness) {
  // A copy, because a mapped file may change between two reads. The mark at the end ends every loop.
  std::string text(part.text);
  text.back() = Format::kMark;
  const char* at = text.data();
  const char* const end = at + text.size();
  T* const out = reinterpret_cast<T*>(part.out);
  PartLists lists = *part.lists;
  const std::int64_t elements = part.elements;
  std::int64_t element = 0;
  do {
    if (!format.begin(at, lists) || !lists.at_element() || element == elements ||
        !format.scan(at, end, out[element], exactness)) {
      return false;
    }
    ++element;
    lists.next();
    if (!format.end(at, lists)) return false;
  } while (at != end);
  *part.lists = lists;
  return element == elements;
}

// Makes a PartFormat from a format of read_part() that also has count(part).
template <class Format>
[[nodiscard]] PartFormat part_format(Format format) {
  return {Format::kMark, [format](NumberPart& part) { format.count(part); },
          [format](NumberPart& part, DType dtype, Exactness exactness) {
            dispatch(dtype, [&]<class T>(TypeTag<T>) {
              if constexpr (Number<Part<T>>)
                part.fits = part.lists && read_part<Part<T>>(part, format, exactness);
            });
          }};
}

// Divides a text that ends with a mark into parts of about `size` bytes that end with a mark.
[[nodiscard]] std::vector<NumberPart> divide_numbers(std::string_view text, char mark, std::size_t size);

}  // namespace tensorop
