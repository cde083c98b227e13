// The loops of a gather: copies rows of data to consecutive rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// The content of rows whose offset is kSkip.
struct SkippedRows {
  bool any = false;                 // whether there may be such rows
  const std::byte* fill = nullptr;  // the element of these rows; null: zeros
  std::int64_t width = 1;           // bytes of an element
};
[[nodiscard]] SkippedRows skipped_rows(const RowMoves& moves);

// Writes `bytes` bytes of skipped rows.
void write_skipped(std::byte* out, std::int64_t bytes, const SkippedRows& skipped);

// Copies `count` rows of `row_bytes` (at least 1) from base + offsets[i] * row_bytes to consecutive rows at
// `out`. Rows do not overlap `out`.
void gather_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t row_bytes, const SkippedRows& skipped);

}  // namespace tensorop
