// Where the elements of a result go: memory, a file at any position, or a stream from front to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/checked.hpp"
#include "kernels/range.hpp"

namespace tensorop {

struct ElementTarget {
  // Takes elements of the result. Where `anywhere`, from any thread, in any order; else from one thread at a
  // time, ranges that follow each other from element 0 to the last; it counts their bytes itself then
  // (Threads::advance).
  std::function<void(Range range, const std::byte* elements)> write;
  bool anywhere = false;
  // The elements, where they are in memory: they need not be written. Null: in a file or a stream.
  std::byte* memory = nullptr;
  // The elements of a file as memory, which all processes share that write the file; null: there is none.
  std::function<std::byte*()> map = nullptr;
  // Where element 0 lies in its file, for writing whole pages; 0 where there is none.
  std::int64_t file_offset = 0;

  // Memory for the whole result, where there is any.
  [[nodiscard]] std::byte* whole() const { return memory != nullptr ? memory : map(); }
};

// Elements of `width` bytes at `out`.
[[nodiscard]] inline ElementTarget memory_target(std::byte* out, std::int64_t width) {
  const auto write = [=](Range range, const std::byte* elements) {
    std::memcpy(out + range.first * width, elements, to_size(range.count * width));
  };
  return {.write = write, .anywhere = true, .memory = out};
}

}  // namespace tensorop
