// Scattering along an outer axis a few columns at a time. The elements that indices select there are a whole
// row apart, each on another page: a tile of neighbouring columns, copied together first, fits in cache and
// in few pages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threads.hpp"
#include "kernels/cache.hpp"
#include "kernels/element_target.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// A tile holds at least a cache line of each step of the axis: of more steps it would leave the cache.
inline constexpr std::int64_t kMostSteps = (std::int64_t{16} << 20) / kCacheLine;

// The whole result of a scatter whose map has tiles, in parts: computes part `part` of `parts` into `whole`,
// after write_base_of_tiles() of everything. No two parts write the same element, and the result does not
// depend on `parts`. After all indices are checked; kept offsets are not used.
void fill_tiles(const RowMoves& moves, std::byte* whole, std::int64_t part, std::int64_t parts);
// Writes these elements of data, where the tiles do not make all elements of the result. Counts their bytes.
void write_base_of_tiles(const RowMoves& moves, Range elements, const ElementTarget& target,
                         const Threads& threads);

}  // namespace tensorop
