// Plans that take each element of the result from the elements of operands at one position: combined,
// selected, repeated, copied or cast.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/elements/binary_kernel.hpp"
#include "kernels/elements/walk.hpp"
#include "kernels/index/index.hpp"
#include "kernels/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Elements of several operands, broadcast to one shape and combined. Source: section 6 of the specification.
struct CombineElementsSpec {
  std::vector<Tensor> operands;           // at least two; more are folded from the left
  std::vector<BroadcastStrides> strides;  // how each operand lies within the result
  Shape result;
  BinaryKernel kernel;  // for the dtypes of the operands; of more than two operands without faults
  OpenReason open_reason = OpenReason::none;
};
[[nodiscard]] std::unique_ptr<Plan> combine_plan(CombineElementsSpec spec);

// Each element from one of two operands, depending on a condition. Operands: 0 condition (bool), 1 x, 2 y (of
// one dtype); `strides`: how each of them lies within the result. Source: sections 5.3 and 5.4.
[[nodiscard]] std::unique_ptr<Plan> select_plan(std::vector<Tensor> operands, const Shape& result,
                                                const std::vector<BroadcastStrides>& strides);

// The elements of operand 0, some of them many times: element c (a coordinate of `result`) is the element of
// data at the sum of c[d] * strides[d]. fill() needs memory aligned for an element only. Source: section 5.
[[nodiscard]] std::unique_ptr<Plan> repeat_plan(const Tensor& data, const Shape& result,
                                                const BroadcastStrides& strides);

// The elements of operand 0, `data`.
[[nodiscard]] inline std::unique_ptr<Plan> copy_plan(const Tensor& data) {
  return repeat_plan(data, {data.size()}, {1});
}

// The same where no index selects an element of `data` (operand 0), but all indices (operand 1) must be in
// range all the same. A result of elements that data does not have is zeros, or has the element `fill`.
[[nodiscard]] std::unique_ptr<Plan> checked_copy_plan(const Tensor& data, const IndexDecoder& decoder,
                                                      std::optional<Tensor> fill = std::nullopt);

// The elements of operand 0, cast to `dtype` as cast_elements() does; can_cast() holds. Faults: does_not_fit.
[[nodiscard]] std::unique_ptr<Plan> cast_plan(const Tensor& data, DType dtype,
                                              Overflow overflow = Overflow::error);

}  // namespace tensorop
