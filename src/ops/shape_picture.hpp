// Pictures of shapes under each other, which messages about shapes show below their line (Failure::details).
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
  std::int64_t column = 0;  // for pictures: the column of the first dimension
};

// Shows the shapes under each other, with their dimensions in columns, and a caret under column `at`:
//     a  (2,3,4)
//     b    (3,5)
//              ^
// Returns nothing if there are more columns than a line has room for.
[[nodiscard]] std::string shape_picture(const std::vector<NamedShape>& shapes, std::int64_t at);

// Shows all shapes aligned on the right; `at` counts from the first dimension of the longest shape.
[[nodiscard]] std::string right_aligned_picture(std::vector<NamedShape> shapes, std::int64_t at);

}  // namespace tensorop
