// Broadcasting one tensor: copying elements of a width, some of them many times over.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/walk.hpp"

namespace tensorop {

// Writes elements [first, first + count) of the broadcast result to `out`. `walk` has one operand, whose
// elements of `width` bytes (1, 2, 4, 8 or 16) begin at `data`.
void repeat_elements(std::byte* out, const std::byte* data, int width, const BroadcastWalk& walk,
                     std::int64_t first, std::int64_t count);

}  // namespace tensorop
