// Scatters along an outer axis, a few columns at a time. The elements that the indices select there are a
// whole row apart, each on another page. A tile of neighbouring columns, copied to one place first, fits in
// cache and in few pages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/process/threads.hpp"
#include "kernels/cache.hpp"
#include "kernels/element_target.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// A tile holds at least a cache line of each step of the axis; with more steps it would not fit in cache.
inline constexpr std::int64_t kMostSteps = (std::int64_t{16} << 20) / kCacheLine;

// Computes part `part` of `parts` of a scatter whose map has tiles, into `whole`, the whole result. Call
// write_base_of_tiles() for all elements, and check all indices, before. No two parts write the same element,
// and the result does not depend on `parts`. Kept offsets are not used.
void fill_tiles(const RowMoves& moves, std::byte* whole, std::int64_t part, std::int64_t parts);
// Writes these elements of data if the tiles do not cover the result. Counts their bytes.
void write_base_of_tiles(const RowMoves& moves, Range elements, const ElementTarget& target,
                         const Threads& threads);

}  // namespace tensorop
