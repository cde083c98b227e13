// Converts arrays in Fortran order (first dimension fastest) to row-major order, block by block: each block
// is read and written in segments of consecutive elements that are long enough for a cache, or for a disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/process/threads.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Describes how elements move: element [i, j, ...] from the sum of index times source stride to the sum of
// index times target stride.
struct Reordering {
  Shape shape;
  std::vector<std::int64_t> source;  // strides in elements
  std::vector<std::int64_t> target;

  // From Fortran order to row-major order; dimensions of 1 are dropped. No dimension is 0.
  [[nodiscard]] static Reordering of_fortran_order(const Shape& shape);
  // The source position of each element, in row-major order.
  [[nodiscard]] std::vector<std::int64_t> sources() const;
};

// Writes bytes at `offset` of the result; thread-safe.
using WriteBytes = std::function<void(std::int64_t offset, std::span<const std::byte> bytes)>;

// Swaps the byte order of numbers of `width` bytes (2, 4 or 8); other widths are unchanged.
void swap_bytes(std::span<std::byte> numbers, std::int64_t width);

// Moves all elements in memory. Elements have `width` bytes (1, 2, 4, 8 or 16); the byte order of each number
// of `swap_width` bytes in them is swapped; 0: no swap.
void reorder(const Reordering& order, std::int64_t width, std::int64_t swap_width, const std::byte* stored,
             std::byte* out, const Threads& threads);

// reorder() through a buffer of at most `memory` bytes (at least some KiB): writes the row-major array in
// segments. `stored`, which may be in a mapped file, is read about once.
void reorder_blocks(const Reordering& order, std::int64_t width, std::int64_t swap_width,
                    const std::byte* stored, std::int64_t memory, const WriteBytes& write,
                    const Threads& threads);

}  // namespace tensorop
