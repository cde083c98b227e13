// The rules of docs/broadcasting.md, and the operators broadcast, expand and concat.
#include <algorithm>

#include "support/reference_array.hpp"

namespace tensorop::reference {
namespace {

// Axes start, start + 1, ... for the dimensions of an operand.
std::vector<std::int64_t> axes_from(std::int64_t start, std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (std::size_t j = 0; j < rank; ++j) axes.push_back(start + static_cast<std::int64_t>(j));
  return axes;
}

std::int64_t length(const Shape& shape) {
  return static_cast<std::int64_t>(shape.size());
}

Shape trim(Shape shape) {
  while (!shape.empty() && shape.back() == 1) shape.pop_back();
  return shape;
}

std::int64_t merge(std::int64_t x, std::int64_t y, const char* rule) {
  require(x == y || x == 1 || y == 1, rule);
  return x == 1 ? y : x;
}

Array filled(const Array& data, const Shape& shape, const std::vector<std::int64_t>& axes) {
  Array out(data.dtype, shape);
  const Placed placed = {data, axes};
  for (const Coordinate& c : coordinates_of(shape)) out.at(c) = placed.at(c);
  return out;
}

// BC-U.
Array unidirectional(const Array& data, const Shape& target) {
  require(data.rank() <= length(target), "BC-U1");
  const std::int64_t start = length(target) - data.rank();
  for (std::size_t j = 0; j < data.shape.size(); ++j) {
    require(data.shape[j] == 1 || data.shape[j] == target[j + static_cast<std::size_t>(start)], "BC-U2");
  }
  return filled(data, target, axes_from(start, data.shape.size()));
}

// BC-B.
Array bidirectional(const Array& data, const Shape& target) {
  const Broadcast merged = broadcast_numpy({data.shape, target}, "BC-M1");
  return filled(data, merged.shape, merged.axes[0]);
}

// BC-P3, BC-P4.
Array pdpd(Array data, const Shape& target, std::int64_t axis) {
  require(axis >= -1, "BC-P3");
  const std::int64_t start = axis == -1 ? length(target) - data.rank() : axis;
  data.shape = trim(data.shape);
  require(start >= 0 && start + data.rank() <= length(target), "BC-P3");
  for (std::size_t j = 0; j < data.shape.size(); ++j) {
    require(data.shape[j] == 1 || data.shape[j] == target[j + static_cast<std::size_t>(start)], "BC-P4");
  }
  return filled(data, target, axes_from(start, data.shape.size()));
}

// BC-E.
Array explicitly(const Array& data, const Shape& target, const std::vector<std::int64_t>& mapping,
                 bool any_order) {
  const bool scalar = data.rank() == 0 && mapping.size() == 1 && !any_order;
  require(mapping.size() == data.shape.size() || scalar, "BC-E2");
  for (const std::int64_t axis : mapping) require(0 <= axis && axis < length(target), "BC-E3");
  if (scalar) {
    require(target[static_cast<std::size_t>(mapping[0])] == 1, "BC-E2");
    return filled(data, target, {});
  }
  for (std::size_t j = 1; j < mapping.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i)
      require(any_order ? mapping[i] != mapping[j] : mapping[j - 1] < mapping[j], "BC-E4");
  }
  for (std::size_t j = 0; j < mapping.size(); ++j) {
    require(data.shape[j] == 1 || data.shape[j] == target[static_cast<std::size_t>(mapping[j])], "BC-E5");
  }
  return filled(data, target, mapping);
}

Shape target_of(const Arguments& arguments) {
  Shape target = numbers(arguments, "shape");
  const Shape& data = arguments.operands[0].shape();
  if (arguments.rules.keeps_dims) require(data.size() <= target.size(), "BC-U1");
  for (std::size_t d = 0; d < target.size() && arguments.rules.keeps_dims; ++d) {
    if (target[d] != -1) continue;
    require(d + data.size() >= target.size(), "BC-W1");
    target[d] = data[d + data.size() - target.size()];
  }
  for (const std::int64_t dim : target) require(dim >= 0, "BC-T2");
  return target;
}

}  // namespace

const Element& Placed::at(const Coordinate& result) const {
  Coordinate own;
  own.reserve(array.shape.size());
  for (std::size_t j = 0; j < array.shape.size(); ++j) {
    own.push_back(array.shape[j] == 1 ? 0 : result[static_cast<std::size_t>(axes[j])]);
  }
  return array.at(own);
}

std::vector<Placed> place(const Broadcast& broadcast, std::vector<Array> operands) {
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    operands[i].shape = broadcast.trimmed[i];
    placed.push_back({std::move(operands[i]), broadcast.axes[i]});
  }
  return placed;
}

Broadcast broadcast_none(const std::vector<Shape>& shapes, const char* rule) {
  Broadcast out = {shapes[0], {}, shapes};
  for (const Shape& shape : shapes) {
    require(shape == shapes[0], rule);
    out.axes.push_back(axes_from(0, shape.size()));
  }
  return out;
}

Broadcast broadcast_numpy(const std::vector<Shape>& shapes, const char* rule) {
  Broadcast out = {{}, {}, shapes};
  for (const Shape& shape : shapes) out.shape.resize(std::max(out.shape.size(), shape.size()), 1);
  for (const Shape& shape : shapes) {
    const std::size_t start = out.shape.size() - shape.size();
    for (std::size_t j = 0; j < shape.size(); ++j) {
      out.shape[start + j] = merge(out.shape[start + j], shape[j], rule);
    }
    out.axes.push_back(axes_from(static_cast<std::int64_t>(start), shape.size()));
  }
  return out;
}

Broadcast broadcast_legacy(const Shape& a, const Shape& b, std::int64_t enabled,
                           std::optional<std::int64_t> axis) {
  require(enabled == 0 || enabled == 1, "BC-L1");
  if (enabled == 0) return broadcast_none({a, b}, "BC-N1");
  require(length(b) <= length(a), "BC-L3");
  Broadcast out = {a, {axes_from(0, a.size()), axes_from(0, b.size())}, {a, b}};
  if (std::ranges::all_of(b, [](std::int64_t dim) { return dim == 1; })) return out;  // BC-L4
  const std::int64_t start = axis.value_or(length(a) - length(b));
  require(0 <= start && start <= length(a) - length(b), "BC-L5");
  require(slice(a, start, start + length(b)) == b, "BC-L6");
  out.axes[1] = axes_from(start, b.size());
  return out;
}

Broadcast broadcast_pdpd(const Shape& a, const Shape& b, std::int64_t axis) {
  require(length(b) <= length(a), "BC-P1");
  require(axis >= -1, "BC-P2");
  const std::int64_t start = axis == -1 ? length(a) - length(b) : axis;
  const Shape trimmed = trim(b);
  require(start + length(trimmed) <= length(a), "BC-P3");
  for (std::size_t j = 0; j < trimmed.size(); ++j) {
    require(trimmed[j] == 1 || trimmed[j] == a[static_cast<std::size_t>(start) + j], "BC-P4");
  }
  return {a, {axes_from(0, a.size()), axes_from(start, trimmed.size())}, {a, trimmed}};
}

Broadcast broadcast_slopes(const Shape& a, const Shape& b, const std::string& scheme) {
  const Broadcast all = {a, {axes_from(0, a.size()), axes_from(length(a) - length(b), b.size())}, {a, b}};
  if (scheme != "one_way" && b.size() == 1 && a.size() > 1 && b[0] == a[1])
    return {a, {axes_from(0, a.size()), {1}}, {a, b}};
  if (scheme == "channels") {
    const bool one = std::ranges::all_of(b, [](std::int64_t dim) { return dim == 1; });
    require(one || a == b, "PR-1");
    return all;
  }
  require(length(b) <= length(a), "BC-U1");
  for (std::size_t j = 0; j < b.size(); ++j) {
    require(b[j] == 1 || b[j] == a[a.size() - b.size() + j], "BC-U2");
  }
  return all;
}

Array broadcast_to_target(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Shape target = target_of(arguments);
  const std::string mode = word(arguments, "mode", "numpy");
  if (mode == "bidirectional") return bidirectional(data, target);
  if (mode == "pdpd") return pdpd(data, target, number(arguments, "axis", -1));
  if (mode == "explicit")
    return explicitly(data, target, numbers(arguments, "axes_mapping"), arguments.rules.any_order);
  return unidirectional(data, target);
}

Array expand(const Arguments& arguments) {
  if (arguments.rules.one_way_expand)
    return unidirectional(Array(arguments.operands[0]), target_of(arguments));
  return bidirectional(Array(arguments.operands[0]), target_of(arguments));
}

// CC-1, AX-1 and CC-2.
Array concat(const Arguments& arguments) {
  std::vector<Array> parts;
  for (const Tensor& operand : arguments.operands) {
    require(operand.rank() > 0, "CC-1");
    if (!arguments.rules.skips_empty || operand.shape() != Shape{0}) parts.emplace_back(operand);
  }
  if (parts.empty()) return Array(arguments.operands[0]);
  for (const Array& part : parts) require(part.rank() == parts[0].rank(), "CC-1");
  const auto axis = static_cast<std::size_t>(normal_axis(number(arguments, "axis", 0), parts[0].rank()));
  Shape shape = parts[0].shape;
  shape[axis] = 0;
  for (const Array& part : parts) {
    for (std::size_t d = 0; d < shape.size(); ++d) require(d == axis || part.shape[d] == shape[d], "CC-2");
    shape[axis] += part.shape[axis];
  }
  Array out(parts[0].dtype, shape);
  std::int64_t begin = 0;
  for (const Array& part : parts) {
    for (const Coordinate& c : coordinates_of(part.shape)) {
      Coordinate moved = c;
      moved[axis] += begin;
      out.at(moved) = part.at(c);
    }
    begin += part.shape[axis];
  }
  return out;
}

Array where(const Arguments& arguments) {
  const std::vector<Tensor>& operands = arguments.operands;
  const Shape& condition = operands[0].shape();
  const Shape& x = operands[1].shape();
  const Shape& y = operands[2].shape();
  const std::string scheme = word(arguments, "auto_broadcast", arguments.rules.schemes[0]);
  Broadcast broadcast;
  if (arguments.rules.scalar_condition) {
    require(x == y, "SL-4");
    require(condition.empty() || condition == x, "SL-5");
    broadcast = broadcast_numpy({condition, x, y}, "SL-5");
  } else if (scheme == "none") {
    broadcast = broadcast_none({condition, x, y}, "BC-N1");
  } else if (scheme == "pdpd") {
    const std::int64_t axis = number(arguments, "axis", -1);
    const Broadcast y_onto_x = broadcast_pdpd(x, y, axis);
    const Broadcast condition_onto_x = broadcast_pdpd(x, condition, axis);
    broadcast = {x,
                 {condition_onto_x.axes[1], y_onto_x.axes[0], y_onto_x.axes[1]},
                 {condition_onto_x.trimmed[1], x, y_onto_x.trimmed[1]}};
  } else {
    const bool one_way = arguments.rules.one_way_condition;
    broadcast = broadcast_numpy({condition, x, y}, one_way ? "SL-2" : "BC-M1");
    require(!one_way || broadcast.shape == broadcast_numpy({x, y}, "SL-2").shape, "SL-2");
  }
  const std::vector<Placed> placed = place(
      broadcast, {Array(arguments.operands[0]), Array(arguments.operands[1]), Array(arguments.operands[2])});
  Array out(operands[1].dtype(), broadcast.shape);
  for (const Coordinate& c : coordinates_of(out.shape)) {
    out.at(c) = integer(placed[0].at(c)) != 0 ? placed[1].at(c) : placed[2].at(c);
  }
  return out;
}

}  // namespace tensorop::reference
