// Plans that compute each element of the result from elements of the operands: they combine, select, repeat,
// join, copy or cast them.
#pragma once

#include <memory>
#include <vector>

#include "kernels/elements/binary_kernel.hpp"
#include "kernels/elements/walk.hpp"
#include "kernels/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Combines the elements of several operands, broadcast to one shape. Source: docs/ops/elementwise.md.
struct CombineElementsSpec {
  std::vector<Tensor> operands;           // at least two; more are folded from the left
  std::vector<BroadcastStrides> strides;  // position of each operand within the result
  Shape result;
  BinaryKernel kernel;  // for the dtypes of the operands; has no faults if there are more than two operands
  OpenReason open_reason = OpenReason::none;
};
[[nodiscard]] std::unique_ptr<Plan> combine_plan(CombineElementsSpec spec);

// Selects each element from one of two operands. Operands: 0 condition (bool), 1 x, 2 y (x and y of one
// dtype). `strides` is the position of each operand within the result. Source: docs/ops/where.md.
[[nodiscard]] std::unique_ptr<Plan> select_plan(std::vector<Tensor> operands, const Shape& result,
                                                const std::vector<BroadcastStrides>& strides);

// Repeats the elements of operand 0: element c (a coordinate of `result`) is the element of data at the sum
// of c[d] * strides[d]. fill() needs memory aligned for one element only. Source: docs/ops/broadcast.md.
[[nodiscard]] std::unique_ptr<Plan> repeat_plan(const Tensor& data, const Shape& result,
                                                const BroadcastStrides& strides);

// Copies the elements of operand 0, `data`.
[[nodiscard]] inline std::unique_ptr<Plan> copy_plan(const Tensor& data) {
  return repeat_plan(data, {data.size()}, {1});
}

// Joins the operands, which have one dtype: a row of the result is a row of each operand, in order.
// `row_elements` is the number of elements in a row of each operand. Source: docs/ops/concat.md.
[[nodiscard]] std::unique_ptr<Plan> join_plan(std::vector<Tensor> operands,
                                              const std::vector<std::int64_t>& row_elements);

// Casts the elements of operand 0 to `dtype` by cast_elements(); can_cast() holds. Faults: does_not_fit.
[[nodiscard]] std::unique_ptr<Plan> cast_plan(const Tensor& data, DType dtype,
                                              Overflow overflow = Overflow::error);

}  // namespace tensorop
