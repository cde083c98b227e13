// The destination of a result's elements: memory, a file at any position, or a stream from front to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/checked.hpp"
#include "kernels/range.hpp"

namespace tensorop {

struct ElementTarget {
  // Writes elements of the result. If `anywhere`, any thread may call it, in any order. Otherwise one thread
  // at a time calls it, for consecutive ranges from element 0 to the last, and `write` itself counts the
  // bytes (Threads::advance).
  std::function<void(Range range, const std::byte* elements)> write;
  bool anywhere = false;
  // The elements of a result in memory, which need not be written. Null: a file or a stream.
  std::byte* memory = nullptr;
  // Maps the elements of a file that all processes writing it share. Null: the file cannot be mapped.
  std::function<std::byte*()> map = nullptr;
  // The byte offset of element 0 in its file, for writing whole pages; 0 without a file.
  std::int64_t file_offset = 0;

  // Memory for the whole result. The target must be in memory or have a map.
  [[nodiscard]] std::byte* whole() const { return memory != nullptr ? memory : map(); }
};

// The target for elements of `width` bytes at `out`.
[[nodiscard]] inline ElementTarget memory_target(std::byte* out, std::int64_t width) {
  const auto write = [=](Range range, const std::byte* elements) {
    std::memcpy(out + range.first * width, elements, to_size(range.count * width));
  };
  return {.write = write, .anywhere = true, .memory = out};
}

}  // namespace tensorop
