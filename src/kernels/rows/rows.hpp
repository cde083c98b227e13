// Moves rows from the offsets of a map to consecutive memory. Depends on the width only, not on the
// dtype.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensorop {

// Copies `count` rows of `row_bytes` (at least 1) from base + offsets[i] * row_bytes to consecutive rows at
// `out`; where `skips`, a row at kSkip becomes zeros. Rows do not overlap `out`.
void gather_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t row_bytes, bool skips);

}  // namespace tensorop
