// Arrays in Fortran order, the first dimension varying fastest, brought into row-major order in blocks: each
// block is read and written in runs of consecutive elements that are long enough for a cache, or for a disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// How the elements of an array are moved: element [i, j, ...] from the sum of index times source stride to
// the sum of index times target stride.
struct Reordering {
  Shape shape;
  std::vector<std::int64_t> source;  // strides in elements
  std::vector<std::int64_t> target;

  // From Fortran order to row-major order; dimensions of 1 are left out. No dimension is 0.
  [[nodiscard]] static Reordering of_fortran_order(const Shape& shape);
  // Where each element comes from, in row-major order.
  [[nodiscard]] std::vector<std::int64_t> sources() const;
};

// Takes bytes that belong at `offset` of the whole; any number of threads at once.
using WriteBytes = std::function<void(std::int64_t offset, std::span<const std::byte> bytes)>;

// Brings numbers of `width` bytes (2, 4 or 8) into the other byte order; other widths stay as they are.
void swap_bytes(std::span<std::byte> numbers, std::int64_t width);

// Moves all elements, of `width` bytes (1, 2, 4, 8 or 16), in memory, the numbers of `swap_width` bytes in
// them into the other byte order; 0: none.
void reorder(const Reordering& order, std::int64_t width, std::int64_t swap_width, const std::byte* stored,
             std::byte* out, const Threads& threads);

// The same through a buffer of at most `memory` bytes (at least some KiB): writes the row-major array in
// runs. `stored`, which may lie in a mapped file, is read once or nearly.
void reorder_pieces(const Reordering& order, std::int64_t width, std::int64_t swap_width,
                    const std::byte* stored, std::int64_t memory, const WriteBytes& write,
                    const Threads& threads);

}  // namespace tensorop
