// The gathers, as docs/ops/gather.md defines them.
#include <algorithm>
#include <limits>

#include "support/reference_array.hpp"

namespace tensorop::reference {
namespace {

// data[coordinate], or zero or the fill value where a component of it is missing (out of range).
Element read(const Arguments& arguments, const Array& data,
             const std::vector<std::optional<std::int64_t>>& coordinate) {
  Coordinate c;
  c.reserve(coordinate.size());
  for (const auto& component : coordinate) {
    if (!component) return missing_element(arguments, data.dtype);
    c.push_back(*component);
  }
  return data.at(c);
}

std::vector<std::optional<std::int64_t>> present(const Coordinate& c) {
  return {c.begin(), c.end()};
}

void append(std::vector<std::optional<std::int64_t>>& to, const Coordinate& c) {
  to.insert(to.end(), c.begin(), c.end());
}

}  // namespace

Element missing_element(const Arguments& arguments, DType dtype) {
  if (policy_of(arguments) != "fill" || dtype == DType::string) {
    const std::string text = word(arguments, "fill_value", "");
    return dtype == DType::string ? Element{dtype, text} : make_zero(dtype);
  }
  const auto given = arguments.attributes.find("fill_value");
  const bool is_default = given == arguments.attributes.end();
  if (dtype == DType::boolean) return make_bool(is_default || given->second == "true");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double value = is_default ? nan : std::stod(given->second);
  if (kFloatTypes.contains(dtype)) return make_real(dtype, value);
  if (kComplexTypes.contains(dtype)) return make_complex(dtype, {value, 0});
  if (!is_default) return make_integer(dtype, static_cast<Wide>(std::stoll(given->second)));
  const Wide half = Wide{1} << (8 * element_size(dtype) - 1);
  return make_integer(dtype, kUnsignedTypes.contains(dtype) ? 2 * half - 1 : -half);
}

Array gather(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array indices(arguments.operands[1]);
  const std::int64_t r = data.rank();
  const std::int64_t q = indices.rank();
  require(r >= 1, "GA-1");
  const bool at_batch = arguments.rules.batch_axis && !arguments.attributes.contains("axis");
  std::int64_t axis = at_batch ? 0 : normal_axis(number(arguments, "axis", 0), r);
  std::int64_t b = number(arguments, "batch_dims", 0);
  const std::int64_t most = arguments.rules.batch_axis ? q : std::min(r, q);
  require(-most <= b && b <= most, "GA-3");
  if (at_batch) {
    require(b >= 0, "NI-1");
    axis = normal_axis(b, r);
  }
  if (b < 0) b += q;
  require(0 <= b && b <= std::min(r, q) && b <= axis, "GA-4");
  require(slice(data.shape, 0, b) == slice(indices.shape, 0, b), "GA-5");
  const std::int64_t d = data.shape[static_cast<std::size_t>(axis)];
  require(!arguments.rules.no_empty_axis || d != 0 || indices.elements.empty(), "IX-1");
  if (arguments.rules.no_empty_axis && d == 0) return data;
  Array out(data.dtype, slice(data.shape, 0, axis) + tail(indices.shape, b) + tail(data.shape, axis + 1));
  const auto outer = slice(data.shape, 0, axis);
  const bool takes_nothing = std::ranges::find(outer, 0) != outer.end() || policy_of(arguments) == "clip";
  if (arguments.rules.unchecked_empty && takes_nothing && out.elements.empty()) return out;
  const auto n = resolve_indices(arguments, indices, [&](const Coordinate&) { return d; });

  const auto picked = coordinates_of(tail(indices.shape, b));
  const auto rows = coordinates_of(tail(data.shape, axis + 1));
  for (const Coordinate& p : coordinates_of(slice(data.shape, 0, axis))) {
    for (const Coordinate& i : picked) {
      for (const Coordinate& s : rows) {
        auto from = present(p);
        from.push_back(n[static_cast<std::size_t>(position_of(slice(p, 0, b) + i, indices.shape))]);
        append(from, s);
        out.at(p + i + s) = read(arguments, data, from);
      }
    }
  }
  return out;
}

Array gather_elements(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array indices(arguments.operands[1]);
  require(data.rank() >= 1, "GA-1");
  const Rules& rules = arguments.rules;
  require(indices.rank() == data.rank(), rules.torch_shapes ? "PT-2" : "GE-2");
  const auto a = static_cast<std::size_t>(normal_axis(number(arguments, "axis", 0), data.rank()));
  for (std::size_t dim = 0; dim < data.shape.size(); ++dim) {
    const bool equal = indices.shape[dim] == data.shape[dim];
    bool fits = rules.equal_off_axis ? equal : indices.shape[dim] <= data.shape[dim];
    if (rules.off_axis) fits = equal || indices.shape[dim] == 1 || data.shape[dim] == 1;
    require(dim == a || fits, rules.torch_shapes ? "PT-1" : "GE-4");
  }
  Shape shape = indices.shape;
  for (std::size_t dim = 0; dim < shape.size() && rules.off_axis; ++dim) {
    if (dim != a && shape[dim] == 1) shape[dim] = data.shape[dim];
  }
  Array out(data.dtype, shape);
  if (rules.zero_of_empty_axis && data.shape[a] == 0) return out;
  if (rules.unchecked_empty && out.elements.empty()) return out;
  const auto n = resolve_indices(arguments, indices, [&](const Coordinate&) { return data.shape[a]; });
  for (const Coordinate& i : coordinates_of(shape)) {
    auto from = present(i);
    Coordinate own = i;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      if (indices.shape[dim] == 1) own[dim] = 0;
      if (data.shape[dim] == 1) from[dim] = 0;
    }
    from[a] = n[static_cast<std::size_t>(position_of(own, indices.shape))];
    out.at(i) = read(arguments, data, from);
  }
  return out;
}

namespace {

// GN-3: the batch shape, merged where sizes of 1 broadcast.
Shape batch_shape(const Arguments& arguments, const Shape& data, const Shape& indices) {
  Shape merged;
  for (std::size_t d = 0; d < data.size(); ++d) {
    const bool one = data[d] == 1 || indices[d] == 1;
    require(data[d] == indices[d] || (arguments.rules.broadcast_batch_dims && one), "GN-3");
    merged.push_back(data[d] == 1 ? indices[d] : data[d]);
  }
  return merged;
}

// A batch coordinate as one operand has it: dimensions of size 1 are read at 0.
Coordinate own_batch(const Coordinate& beta, const Shape& shape) {
  Coordinate own = beta;
  for (std::size_t d = 0; d < own.size(); ++d) own[d] = shape[d] == 1 ? 0 : own[d];
  return own;
}

}  // namespace

Array gather_nd(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array indices(arguments.operands[1]);
  const std::int64_t r = data.rank();
  const std::int64_t q = indices.rank();
  require(r >= 1 && q >= 1, "GN-1");
  std::int64_t b = number(arguments, "batch_dims", 0);
  if (arguments.rules.negative_batch_dims && -q <= b && b < 0) b += q;
  require(0 <= b && b < std::min(q, r), "GN-2");
  const Shape batch = batch_shape(arguments, slice(data.shape, 0, b), slice(indices.shape, 0, b));
  const std::int64_t k = indices.shape.back();
  const bool has_tuples = !coordinates_of(slice(indices.shape, 0, q - 1)).empty();
  require((arguments.rules.empty_tuples ? 0 : 1) <= k && k <= r - b, "GN-4");
  require(!arguments.rules.no_empty_data || !data.elements.empty() || !has_tuples, "IX-1");
  const Shape tuples = slice(indices.shape, b, q - 1);
  Array out(data.dtype, batch + tuples + tail(data.shape, b + k));
  const bool looks_up = !out.elements.empty() || q == 1;
  for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j)
    require(!arguments.rules.no_empty_axis || !looks_up || data.shape[j] != 0, "IX-1");
  if (arguments.rules.no_empty_axis && out.elements.empty()) return out;
  const auto n = resolve_indices(arguments, indices, [&](const Coordinate& c) {
    return data.shape[static_cast<std::size_t>(b + c.back())];
  });

  const auto picked = coordinates_of(tuples);
  const auto rows = coordinates_of(tail(data.shape, b + k));
  for (const Coordinate& beta : coordinates_of(batch)) {
    for (const Coordinate& i : picked) {
      for (const Coordinate& s : rows) {
        auto from = present(own_batch(beta, data.shape));
        for (std::int64_t j = 0; j < k; ++j) {
          const Coordinate at = own_batch(beta, indices.shape) + i + Coordinate{j};
          from.push_back(n[static_cast<std::size_t>(position_of(at, indices.shape))]);
        }
        append(from, s);
        out.at(beta + i + s) = read(arguments, data, from);
      }
    }
  }
  if (arguments.rules.fused_batch_dims && b > 1) {
    std::int64_t fused = 1;
    for (const std::int64_t dim : batch) fused *= dim;
    out.shape = Shape{fused} + tail(out.shape, b);
  }
  return out;
}

}  // namespace tensorop::reference
