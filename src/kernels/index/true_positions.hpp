// The positions of a tensor's elements that are not zero.
#pragma once

#include "base/process/threads.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The flat, row-major positions of the elements that are not zero, ascending: int64 of rank 1. NaN and
// non-empty strings count as not zero. Needs 8 bytes for each position. If elements change during reading,
// the results are still positions in the tensor.
[[nodiscard]] Tensor true_positions(const Tensor& tensor, const Threads& threads);

// The coordinates of flat positions in `shape`, which has dimensions: int64 of shape (n, rank).
[[nodiscard]] Tensor coordinates_of(const Tensor& positions, const Shape& shape, const Threads& threads);

}  // namespace tensorop
