// The plan of Broadcast and Expand: the elements of operand 0, some of them many times.
// Source: section 5 of the specification.
#pragma once

#include <memory>

#include "kernels/elements/walk.hpp"
#include "kernels/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Element c (a coordinate of `result`) is the element of data at the sum of c[d] * strides[d]. fill() needs
// memory aligned for an element only.
[[nodiscard]] std::unique_ptr<Plan> repeat_plan(const Tensor& data, const Shape& result,
                                                const BroadcastStrides& strides);

}  // namespace tensorop
