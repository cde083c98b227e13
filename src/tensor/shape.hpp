// Shapes: lists of dimensions, their products, strides and coordinates. All in elements, row-major.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tensorop {

// The dimensions, outermost first; empty is rank 0 (one element). No dimension is negative.
using Shape = std::vector<std::int64_t>;

inline constexpr std::size_t kMaxRank = 64;

[[nodiscard]] inline std::int64_t rank(const Shape& shape) {
  return static_cast<std::int64_t>(shape.size());
}

// Product of the dimensions; 0 if any dimension is 0. Nothing if the product exceeds int64 (G-2).
[[nodiscard]] std::optional<std::int64_t> element_count(std::span<const std::int64_t> dims);

// element_count() of a shape that has passed require_fits().
[[nodiscard]] std::int64_t count(std::span<const std::int64_t> dims);

// element_count(), or the largest int64 if too large. For some dimensions of an empty tensor.
[[nodiscard]] std::int64_t bounded_count(std::span<const std::int64_t> dims);

// Throws Error [G-2] if the number of elements, or of bytes at `element_size`, does not fit in int64.
void require_fits(const Shape& shape, std::int64_t element_size);

// Row-major strides in elements. A dimension of 0 counts as 1, so that strides of other dimensions stay
// valid.
[[nodiscard]] std::vector<std::int64_t> row_major_strides(const Shape& shape);

// The coordinates of the element at flat position `position` of a tensor without zero dimensions.
[[nodiscard]] std::vector<std::int64_t> coordinates(std::int64_t position, const Shape& shape);

// "(2,3)", "(4)", "()".
[[nodiscard]] std::string to_string(const Shape& shape);

// The name of one element in messages: "name[2,3]"; for rank 0 just the name.
[[nodiscard]] std::string element_name(const std::string& tensor, std::int64_t position, const Shape& shape);

}  // namespace tensorop
