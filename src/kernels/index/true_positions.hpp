// Where a tensor is true: the positions of its elements that are not zero.
#pragma once

#include "base/threads.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The flat, row-major positions of the elements that are not zero, ascending: int64 of rank 1. NaN and an
// empty string's contrary, a string with characters, count as not zero. Takes 8 bytes for each of them. Where
// the elements change while they are read, the positions are still positions of the tensor.
[[nodiscard]] Tensor true_positions(const Tensor& tensor, const Threads& threads);

// The coordinates of flat positions in `shape`, which has dimensions: int64 of shape (n, rank).
[[nodiscard]] Tensor coordinates_of(const Tensor& positions, const Shape& shape, const Threads& threads);

}  // namespace tensorop
