// The plan of Where and Select: each element from one of two operands, depending on a condition.
// Operands: 0 condition (bool), 1 x, 2 y (of one dtype). Source: sections 5.3 and 5.4 of the specification.
#pragma once

#include <memory>
#include <vector>

#include "kernels/elements/walk.hpp"
#include "kernels/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// `strides`: how each of the three operands lies within the result.
[[nodiscard]] std::unique_ptr<Plan> select_plan(std::vector<Tensor> operands, const Shape& result,
                                                const std::vector<BroadcastStrides>& strides);

}  // namespace tensorop
