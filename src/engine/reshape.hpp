// Another shape for operands, before the operator sees them: no element is moved.
#pragma once

#include <vector>

#include "engine/request.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The tensor of that name in messages with the shape that `text` lists: "2,-1", "[2,-1]", "[]". One dimension
// may be -1: it is computed from the number of elements. Throws Error [G-8] when the text is not a shape, or
// has another number of elements.
[[nodiscard]] Tensor reshaped(const Tensor& tensor, const std::string& name, std::string_view text);

}  // namespace tensorop
