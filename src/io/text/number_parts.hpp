// Parts of a long text of numbers, which threads read at the same time. A part only knows what is right: what
// does not fit is read again by DataReader (io/text/text_data.hpp), which says why.
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
  std::int64_t elements = 0;  // as many numbers, if all is right
  std::ptrdiff_t deeper = 0;  // lists that begin, less those that end
  std::byte* out = nullptr;   // room for its numbers
  std::optional<PartLists> lists = {};
  bool fits = false;
};

// How a text of numbers is divided and read.
struct PartFormat {
  char mark;  // ends a part
  // Sets part.elements and part.deeper.
  std::function<void(NumberPart& part)> count;
  // Reads the numbers of a part as those of `dtype`, a number or complex, to part.out, and sets part.fits:
  // false where anything is not as it was in front of the part; what is in part.out is then unspecified.
  std::function<void(NumberPart& part, DType dtype, Exactness exactness)> read;
};

// Reads the numbers of a part. `format` is a copy for each part; its functions return false where a part does
// not fit:
//   kMark                            as PartFormat::mark
//   begin(at, lists)                 steps over what stands in front of a number
//   scan(at, end, value, exactness)  reads a number, as scan_number() does
//   end(at, lists)                   steps over what stands behind it; a mark ends the part
template <Number T, class Format>
[[nodiscard]] bool read_part(NumberPart& part, Format format, Exactness exactness) {
  // A copy: a mapped file may change between two looks at it. The mark at the end ends every loop.
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

// A format of read_part() that also has count(part), as PartFormat has it.
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

// Divides a text that ends with a mark into parts of about `size` bytes that do.
[[nodiscard]] std::vector<NumberPart> divide_numbers(std::string_view text, char mark, std::size_t size);

}  // namespace tensorop
