// How large a call is for its reader: `check --shrink` looks for the smallest one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "jobs/loaded_call.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The numbers of empty operands (which show less than an operand of one element), elements and dimensions,
// and the costs of attributes, dtypes and values. The first number that differs decides.
using CallCost = std::array<std::int64_t, 6>;
[[nodiscard]] CallCost cost_of(const LoadedCall& call);

// The call without its version and its values, of which only classes are left: calls of one form show one
// fault.
[[nodiscard]] std::string form_of(const LoadedCall& call);

// How far a value is from 0. Halves of integers are always nearer.
[[nodiscard]] std::int64_t cost_of_value(double value);
[[nodiscard]] std::int64_t cost_of_dtype(DType dtype);

// The number at a flat position, the real part of a complex one; nothing of a string.
[[nodiscard]] std::optional<double> number_at(const Tensor& tensor, std::int64_t at);

}  // namespace tensorop
