// Which operands make an element of a result open (PlanFacts::open_reason).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/elements/walk.hpp"
#include "kernels/plan.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

// Tests `count` elements. Sets bit at + i of `bits` if element i makes its element of the result open. A
// stride is 1, or 0 if one element belongs to all.
using OpenTest = void (*)(const std::byte* elements, std::int64_t stride, std::int64_t count,
                          std::uint64_t* bits, std::int64_t at);

// Returns the test for NaN. Null if the dtype has no NaN.
[[nodiscard]] OpenTest nan_test(DType dtype);

// Tests `count` results of a run of element-wise operands, all of one dtype.
using OpenResultTest = void (*)(std::span<const RunOperand> run, const std::byte* results, std::int64_t count,
                                std::uint64_t* bits, std::int64_t at);

// Returns null if no result of the dtype is open for this reason.
[[nodiscard]] OpenResultTest open_result_test(OpenReason reason, DType dtype);

}  // namespace tensorop
