// Why elements of a result are open, and which operands make them so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/elements/iterator.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

// The reason why a specification leaves elements of a result open: it does not define their value. Another
// program that follows the specification may have another value there.
enum class OpenReason : std::uint8_t {
  none,
  duplicate_updates,  // several updates replace the same element, in an order that is not specified
  nan_in_extreme,     // a minimum or maximum with a NaN operand
  zeros_in_extreme,   // a minimum or maximum that is a zero, if the operands have zeros of both signs
  nan_or_zeros,       // nan_in_extreme and zeros_in_extreme
  zero_divisor,       // a float is divided by zero
  wide_shift,         // a shift by at least the width of the dtype
  wide_or_overflow,   // wide_shift, and a signed left shift whose result does not fit in the dtype
};

// Tests `count` elements. Sets bit at + i of `bits` if element i makes its element of the result open. A
// stride is 1, or 0 if one element belongs to all.
using OpenTest = void (*)(const std::byte* elements, std::int64_t stride, std::int64_t count,
                          std::uint64_t* bits, std::int64_t at);

// Returns the test for NaN. Null if the dtype has no NaN.
[[nodiscard]] OpenTest nan_test(DType dtype);

// Tests `count` results of a segment of element-wise operands, all of one dtype.
using OpenResultTest = void (*)(std::span<const SegmentOperand> segment, const std::byte* results,
                                std::int64_t count, std::uint64_t* bits, std::int64_t at);

// Returns null if no result of the dtype is open for this reason.
[[nodiscard]] OpenResultTest open_result_test(OpenReason reason, DType dtype);

}  // namespace tensorop
