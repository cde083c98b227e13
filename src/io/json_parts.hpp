// Parts of a long JSON text of numbers, which threads read at the same time. A part only knows what is right:
// what does not fit is read again by DataReader (io/json_data.hpp), which says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "io/json_lists.hpp"
#include "io/json_reader.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

// A part of a text of numbers, from after a comma to after another.
struct NumberPart {
  std::string_view text;
  std::int64_t commas = 0;    // as many as numbers
  std::ptrdiff_t deeper = 0;  // lists that begin, less those that end
  std::byte* out = nullptr;   // room for its numbers
  std::optional<PartLists> lists = {};
  std::vector<FloatOnly> float_only = {};  // of its own elements
  bool fits = false;
};

// Divides a text that ends with a comma into parts of about `size` bytes that do.
[[nodiscard]] std::vector<NumberPart> divide_numbers(std::string_view text, std::size_t size);

// Sets part.commas and part.deeper.
void count_marks(NumberPart& part);

// Reads the numbers of a part as those of `dtype`, a number or complex, to part.out, and sets part.fits:
// false where anything is not as it was in front of the part; what is in part.out is then unspecified.
// `inferred`: int64 may yet turn out to be float64.
void read_numbers(NumberPart& part, DType dtype, bool inferred);

}  // namespace tensorop
