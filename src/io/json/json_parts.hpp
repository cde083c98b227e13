// Parts of a long text of numbers, which threads read at the same time. A part only knows what is right: what
// does not fit is read again by DataReader (io/json/json_data.hpp), which says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "io/json/json_lists.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/number_scan.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

// A part of a text of numbers, from after a mark (PartFormat) to after another.
struct NumberPart {
  std::string_view text;
  std::int64_t elements = 0;  // as many numbers, if all is right
  std::ptrdiff_t deeper = 0;  // lists that begin, less those that end
  std::byte* out = nullptr;   // room for its numbers
  std::optional<PartLists> lists = {};
  std::vector<FloatOnly> float_only = {};  // of its own elements
  bool fits = false;
};

// How a text of numbers is divided and read.
struct PartFormat {
  char mark;  // ends a part
  // Sets part.elements and part.deeper.
  std::function<void(NumberPart& part)> count;
  // Reads the numbers of a part as those of `dtype`, a number or complex, to part.out, and sets part.fits:
  // false where anything is not as it was in front of the part; what is in part.out is then unspecified.
  // `inferred`: int64 may yet turn out to be float64.
  std::function<void(NumberPart& part, DType dtype, bool inferred, Exactness exactness)> read;
};

// Lists of numbers in JSON, divided at commas.
[[nodiscard]] PartFormat json_parts();

// Divides a text that ends with a mark into parts of about `size` bytes that do.
[[nodiscard]] std::vector<NumberPart> divide_numbers(std::string_view text, char mark, std::size_t size);

}  // namespace tensorop
