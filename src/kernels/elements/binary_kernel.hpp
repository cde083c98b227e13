// Element-wise kernels: inner loops over two operands, found by functor and dtypes. The iterator
// (iterator.hpp) broadcasts: within a loop an operand either advances by one element or stays at one element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/elements/binary_arithmetic.hpp"
#include "kernels/elements/binary_logic.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

// Computes `count` elements of `out`. A stride is 1, or 0 if one element serves all. `out` may be an operand
// of stride 1. Returns false if one of the elements has no result (Fault); all other elements are still
// correct.
using BinaryLoop = bool (*)(const std::byte* a, std::int64_t stride_a, const std::byte* b,
                            std::int64_t stride_b, std::byte* out, std::int64_t count);

// The first of `count` elements without a result, and the reason; {count, none} if all have a result.
struct FaultPlace {
  std::int64_t index;
  Fault fault;
};
using FaultSearch = FaultPlace (*)(const std::byte* a, std::int64_t stride_a, const std::byte* b,
                                   std::int64_t stride_b, std::int64_t count);

struct BinaryKernel {
  DType result = DType::boolean;
  BinaryLoop compute = nullptr;      // null: not defined for these dtypes
  FaultSearch find_fault = nullptr;  // null: every element has a result
};

// Returns the kernel of a functor of arithmetic.hpp, binary_arithmetic.hpp or binary_logic.hpp. Except for
// Pow, both operands have the same dtype. A new kernel needs its functor and a line in the .cpp file.
template <class Op>
[[nodiscard]] BinaryKernel find_kernel(DType a, DType b);
template <>
[[nodiscard]] BinaryKernel find_kernel<Pow>(DType a, DType b);

}  // namespace tensorop
