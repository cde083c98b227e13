// The plan of element-wise operators: elements of several operands, broadcast to one shape and combined.
// Source: section 6 of the specification.
#pragma once

#include <memory>
#include <vector>

#include "kernels/elements/binary_kernel.hpp"
#include "kernels/elements/walk.hpp"
#include "kernels/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct CombineElementsSpec {
  std::vector<Tensor> operands;           // at least two; more are folded from the left
  std::vector<BroadcastStrides> strides;  // how each operand lies within the result
  Shape result;
  BinaryKernel kernel;  // for the dtypes of the operands; of more than two operands without faults
  // nan_in_extreme: any operand makes an element open; zero_divisor, wide_shift: the last one.
  OpenReason open_reason = OpenReason::none;
};

[[nodiscard]] std::unique_ptr<Plan> combine_plan(CombineElementsSpec spec);

}  // namespace tensorop
