// How explanations name operands, and the formula of a result's shape with the numbers of a call.
#pragma once

#include <cstddef>
#include <string>

#include "engine/why.hpp"

namespace tensorop {

// The name of operand `i`: with --spec the publisher's, "X" of onnx Where; else that of messages.
[[nodiscard]] std::string shown_name(const Call& call, std::size_t i);

// The shape that the caller gave operand `i`: beside a mask the leading dimensions of data are one dimension
// of the call.
[[nodiscard]] Shape shown_shape(const Call& call, std::size_t i);

// "indices.shape[1:-1] (3) + data.shape[2:] (5)": the parts that the result's shape is made of.
[[nodiscard]] std::string shape_formula(const Explainer& explainer);

}  // namespace tensorop
