// Which broadcasting rules accept shapes, for `ops broadcast --shapes`.
#pragma once

#include <string>
#include <vector>

#include "tensor/shape.hpp"

namespace tensorop {

// A line for each rule: whether it accepts the shapes, and the shape of the result or the reason. At least
// two.
[[nodiscard]] std::string broadcast_text(const std::vector<Shape>& shapes);
[[nodiscard]] std::string broadcast_json(const std::vector<Shape>& shapes);

}  // namespace tensorop
