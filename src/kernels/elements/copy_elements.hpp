// Plans that take each element of the result from the same position of one operand: as it is, or cast.
#pragma once

#include <memory>
#include <optional>

#include "kernels/index/index.hpp"
#include "kernels/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The elements of operand 0, `data`.
[[nodiscard]] std::unique_ptr<Plan> copy_plan(const Tensor& data);

// The same where no index selects an element of `data` (operand 0), but all indices (operand 1) must be in
// range all the same. A result of elements that data does not have is zeros.
[[nodiscard]] std::unique_ptr<Plan> checked_copy_plan(const Tensor& data, IndexDecoder decoder,
                                                      std::optional<Tensor> fill = std::nullopt);

// The elements of operand 0, cast to `dtype` as cast_elements() does; can_cast() holds. Faults: does_not_fit.
[[nodiscard]] std::unique_ptr<Plan> cast_plan(const Tensor& data, DType dtype,
                                              Overflow overflow = Overflow::error);

}  // namespace tensorop
