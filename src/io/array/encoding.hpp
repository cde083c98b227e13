// How a tensor becomes the bytes of a format: the bytes before its elements, the elements, and the bytes
// after them. Knows nothing of where the bytes go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tensorop {

struct Encoding {
  // Appends `count` elements, the first of which is number `first` of the tensor and lies at `elements`, to
  // `out`. Slices in ascending order, one after the other, are the whole. Any number of threads at once.
  using Encode = std::function<void(std::int64_t first, std::int64_t count, const std::byte* elements,
                                    std::string& out)>;

  std::string prefix;
  std::string suffix;
  // The bytes after the elements where these decide them; called once all of them are encoded. Null:
  // `suffix`.
  std::function<std::string()> ending = nullptr;
  // Bytes of an element that is stored as in memory; 0 where `encode` makes the bytes.
  std::int64_t element_bytes = 0;
  Encode encode = nullptr;  // null where element_bytes is not 0
  // Elements that share a byte: slices begin at multiples of so many.
  std::int64_t together = 1;
  // The elements of the whole tensor have at least so many bytes, and exactly so many where element_bytes is
  // not 0; 2^63 - 1 stands for more than that too.
  std::int64_t least_bytes = 0;
};

}  // namespace tensorop
