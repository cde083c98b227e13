// Shapes under each other: what messages about shapes show below their line (Failure::details).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/shape.hpp"

namespace tensorop {

// A shape and its name in messages: {"data", (2,3)}.
struct NamedShape {
  std::string name;
  Shape shape;
  std::int64_t column = 0;  // of a picture: where the first dimension stands
};

// A line for each shape, dimensions of one column under each other, and a caret under the column `at`:
//     a  (2,3,4)
//     b    (3,5)
//              ^
// Nothing of more columns than a line has room for.
[[nodiscard]] std::string shape_picture(const std::vector<NamedShape>& shapes, std::int64_t at);

// The same with all shapes aligned on the right; `at` counts from the first dimension of the longest one.
[[nodiscard]] std::string right_aligned_picture(std::vector<NamedShape> shapes, std::int64_t at);

}  // namespace tensorop
