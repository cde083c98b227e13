// Tells the system which pages of an operand will be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/rows/combine.hpp"

namespace tensorop {

// Starts reading the pages of the rows move.*row of `base`, which ascend and have `row_bytes` each. Pages
// between two that are needed are read too where that is faster.
void will_need_rows(const std::byte* base, std::int64_t row_bytes, std::span<const Move> moves,
                    std::int64_t Move::*row = &Move::target);

}  // namespace tensorop
