// Casting elements from one dtype to another, value by value, refusing what the target cannot hold.
// Source: docs/command-line.md (convert): float to integer truncates; out of range, NaN or a nonzero
// imaginary part is an error; a finite float never becomes infinite. To bool: everything but zero is true.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.hpp"

namespace tensorop {

// Whether there is a cast at all: between any two dtypes but from and to string, which only stays string.
[[nodiscard]] bool can_cast(DType from, DType to);

// Casts `count` elements. Returns -1, or the position of the first element that `to` cannot hold; what stands
// behind it in `out` is then unspecified.
[[nodiscard]] std::int64_t cast_elements(std::byte* out, DType to, const std::byte* in, DType from,
                                         std::int64_t count);

}  // namespace tensorop
