// Shared by the parts of the reference: arrays of elements that are addressed by coordinates, and
// attributes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/reference.hpp"

namespace tensorop::reference {

using Coordinate = std::vector<std::int64_t>;

// All coordinates of a shape in row-major order.
[[nodiscard]] std::vector<Coordinate> coordinates_of(const Shape& shape);
// Row-major position of a coordinate.
[[nodiscard]] std::int64_t position_of(const Coordinate& coordinate, const Shape& shape);

struct Array {
  DType dtype = DType::boolean;
  Shape shape;
  std::vector<Element> elements;

  Array() = default;
  Array(DType type, Shape dims);  // zeros
  explicit Array(const Tensor& tensor);
  [[nodiscard]] Element& at(const Coordinate& c) { return elements[position(c)]; }
  [[nodiscard]] const Element& at(const Coordinate& c) const { return elements[position(c)]; }
  [[nodiscard]] std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  [[nodiscard]] Tensor tensor() const;

 private:
  [[nodiscard]] std::size_t position(const Coordinate& c) const;
};

// x[from:to], and shapes or coordinates one after the other.
[[nodiscard]] std::vector<std::int64_t> slice(const std::vector<std::int64_t>& x, std::int64_t from,
                                              std::int64_t to);
[[nodiscard]] std::vector<std::int64_t> tail(const std::vector<std::int64_t>& x, std::int64_t from);
[[nodiscard]] std::vector<std::int64_t> operator+(const std::vector<std::int64_t>& a,
                                                  const std::vector<std::int64_t>& b);

void require(bool condition, const char* rule);

// Attributes, with the default of the command line where they are left out.
[[nodiscard]] std::string word(const Arguments& arguments, const std::string& name,
                               const std::string& by_default);
[[nodiscard]] std::int64_t number(const Arguments& arguments, const std::string& name,
                                  std::int64_t by_default);
[[nodiscard]] std::vector<std::int64_t> numbers(const Arguments& arguments, const std::string& name);
// "2,3", "[]": a list as the command line and numbers() take it.
[[nodiscard]] std::string list_text(const std::vector<std::int64_t>& numbers);
[[nodiscard]] bool flag(const Arguments& arguments, const std::string& name, bool by_default);

// AX-1: the axis as a non-negative number.
[[nodiscard]] std::int64_t normal_axis(std::int64_t axis, std::int64_t rank);

// The policy of the call in the words of --oob, also where the attribute `mode` says it.
[[nodiscard]] std::string policy_of(const Arguments& arguments);
// The element that what is out of range selects under fill, else zero.
[[nodiscard]] Element missing_element(const Arguments& arguments, DType dtype);

// Applies the rule for indices, or --oob: every element of `indices`, checked against the size `extent` gives
// for its coordinate and normalised; nothing where zeros are read or the update is dropped.
[[nodiscard]] std::vector<std::optional<std::int64_t>> resolve_indices(
    const Arguments& arguments, const Array& indices,
    const std::function<std::int64_t(const Coordinate&)>& extent);

// An operand seen through a broadcast: dimension j lies on axis `axes[j]` of the result, where it is not 1.
struct Placed {
  Array array;
  std::vector<std::int64_t> axes;
  [[nodiscard]] const Element& at(const Coordinate& result) const;
};

// Each function checks the rules of its scheme and says where the operands lie in the result.
struct Broadcast {
  Shape shape;
  std::vector<std::vector<std::int64_t>> axes;  // of each operand
  std::vector<Shape> trimmed;                   // the shape of each operand to go with `axes`
};
[[nodiscard]] Broadcast broadcast_none(const std::vector<Shape>& shapes, const char* rule);
[[nodiscard]] Broadcast broadcast_numpy(const std::vector<Shape>& shapes, const char* rule);
[[nodiscard]] Broadcast broadcast_legacy(const Shape& a, const Shape& b, std::int64_t enabled,
                                         std::optional<std::int64_t> axis);
// PRelu: `scheme` is one_way, channels or channels_first.
[[nodiscard]] Broadcast broadcast_slopes(const Shape& a, const Shape& b, const std::string& scheme);
[[nodiscard]] Broadcast broadcast_pdpd(const Shape& a, const Shape& b, std::int64_t axis);
// The operands of a broadcast, placed.
[[nodiscard]] std::vector<Placed> place(const Broadcast& broadcast, std::vector<Array> operands);

// The operators. Types of the operands have been checked.
[[nodiscard]] Array gather(const Arguments& arguments);
[[nodiscard]] Array gather_elements(const Arguments& arguments);
[[nodiscard]] Array gather_nd(const Arguments& arguments);
[[nodiscard]] Array gather_slices(const Arguments& arguments);
[[nodiscard]] Array scatter(const Arguments& arguments);
[[nodiscard]] Array broadcast_to_target(const Arguments& arguments);
[[nodiscard]] Array expand(const Arguments& arguments);
[[nodiscard]] Array where(const Arguments& arguments);
[[nodiscard]] Array concat(const Arguments& arguments);
[[nodiscard]] Array elementwise(const Arguments& arguments);

// For operators that write windows: the position that each element of updates goes to, if it is inside.
[[nodiscard]] std::vector<std::optional<Coordinate>> slice_targets(const Arguments& arguments);

// open_elements() of the operators that may have some.
[[nodiscard]] std::vector<bool> open_in_scatter(const Arguments& arguments);
[[nodiscard]] std::vector<bool> open_in_elementwise(const Arguments& arguments);

}  // namespace tensorop::reference
