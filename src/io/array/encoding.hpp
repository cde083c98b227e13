// Encodes a tensor as the bytes of a format: a prefix, the elements, and a suffix. Knows nothing of the
// destination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tensorop {

struct Encoding {
  // Appends `count` elements to `out`. The first is element number `first` of the tensor and lies at
  // `elements`. Slices in ascending order concatenate to the whole. Thread-safe.
  using Encode = std::function<void(std::int64_t first, std::int64_t count, const std::byte* elements,
                                    std::string& out)>;

  std::string prefix;
  std::string suffix;
  // Makes the bytes after the elements, if they depend on the elements; called once after all elements are
  // encoded. Null: `suffix`.
  std::function<std::string()> ending = nullptr;
  // Bytes of an element that is stored as in memory; 0 if `encode` makes the bytes.
  std::int64_t element_bytes = 0;
  Encode encode = nullptr;  // null if element_bytes is not 0
  // Number of elements that share a byte: slices begin at multiples of it.
  std::int64_t together = 1;
  // Minimum size of all elements in bytes, exact if element_bytes is not 0; 2^63 - 1 also stands for a larger
  // size.
  std::int64_t least_bytes = 0;
};

}  // namespace tensorop
