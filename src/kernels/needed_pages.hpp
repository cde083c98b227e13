// Tells the system which pages of an operand will be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/combine.hpp"

namespace tensorop {

// Starts reading the pages of the rows move.target of `base`, which have `row_bytes` each, in ascending
// order. The rows lie near each other: it takes a bit for each page from the lowest to the highest. Pages
// between two that are needed are read too where that is faster.
void will_need_rows(const std::byte* base, std::int64_t row_bytes, std::span<const Move> moves);

}  // namespace tensorop
