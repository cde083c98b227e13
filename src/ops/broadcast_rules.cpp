#include "ops/broadcast_rules.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

std::string shown(const NamedShape& operand) {
  return cat(operand.name, ' ', to_string(operand.shape));
}

std::vector<std::int64_t> consecutive(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> axes(count);
  for (std::size_t j = 0; j < count; ++j) axes[j] = first + to_int64(j);
  return axes;
}

}  // namespace

Shape merge_shapes(const std::vector<NamedShape>& operands, const std::string& rule) {
  Shape result = operands[0].shape;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    Shape other = operands[i].shape;
    const std::size_t size = std::max(result.size(), other.size());
    result.insert(result.begin(), size - result.size(), 1);
    other.insert(other.begin(), size - other.size(), 1);
    for (std::size_t d = 0; d < size; ++d) {
      if (result[d] == other[d] || other[d] == 1) continue;
      if (result[d] == 1) {
        result[d] = other[d];
        continue;
      }
      constexpr std::size_t kMostNamed = 8;
      std::vector<std::string> names;
      std::vector<NamedShape> lines;
      for (std::size_t j = 0; j < std::min(i, kMostNamed); ++j) {
        names.push_back(shown(operands[j]));
        lines.push_back(operands[j]);
      }
      if (i > kMostNamed) names.emplace_back("...");
      names.push_back(shown(operands[i]));
      lines.push_back(operands[i]);
      // The number of dimensions of the operands in the picture.
      std::int64_t longest = 0;
      for (const NamedShape& line : lines) longest = std::max(longest, rank(line.shape));
      const std::int64_t at = to_int64(d) - (to_int64(size) - longest);
      throw Error(cat(join(names, " and "), " do not broadcast: dimension ", d,
                      " of the result would be both ", result[d], " and ", other[d]),
                  rule, "", right_aligned_picture(std::move(lines), at));
    }
  }
  return result;
}

const Shape& checked_target(const Shape& target) {
  const auto negative = std::ranges::find_if(target, [](std::int64_t dim) { return dim < 0; });
  if (negative != target.end()) {
    throw Error(cat("shape[", negative - target.begin(), "] = ", *negative,
                    " is negative; dimensions are non-negative"),
                "BC-T2");
  }
  return target;
}

void require_identical(const std::vector<NamedShape>& operands, std::string_view rule,
                       const std::string& hint) {
  const NamedShape& a = operands[0];
  for (const NamedShape& b : operands) {
    if (a.shape == b.shape) continue;
    std::string difference = cat("their ranks are ", rank(a.shape), " and ", rank(b.shape));
    std::int64_t d = 0;
    if (a.shape.size() == b.shape.size()) {
      d = std::ranges::mismatch(a.shape, b.shape).in1 - a.shape.begin();
      difference = cat("dimension ", d, " is ", a.shape[to_size(d)], " and ", b.shape[to_size(d)]);
    }
    throw Error(cat(shown(a), " and ", shown(b), " must have the same shape: ", difference), rule, hint,
                right_aligned_picture({a, b}, d));
  }
}

void require_unidirectional(const NamedShape& data, const NamedShape& target, std::string_view rule) {
  if (data.shape.size() > target.shape.size()) {
    throw Error(cat(shown(data), " has more dimensions than ", shown(target)), rule.empty() ? "BC-U1" : rule,
                "", right_aligned_picture({data, target}, 0));
  }
  const std::size_t missing = target.shape.size() - data.shape.size();
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    if (data.shape[d] == 1 || data.shape[d] == target.shape[missing + d]) continue;
    throw Error(
        cat(shown(data), " does not broadcast to ", shown(target), ": dimension ", missing + d,
            " of the result is ", target.shape[missing + d], ", of ", data.name, " it is ", data.shape[d]),
        rule.empty() ? "BC-U2" : rule, "", right_aligned_picture({data, target}, to_int64(missing + d)));
  }
}

BroadcastStrides strides_at(const Shape& shape, const Shape& target, const std::vector<std::int64_t>& axes) {
  BroadcastStrides out(target.size(), 0);
  const auto strides = row_major_strides(shape);
  for (std::size_t j = 0; j < axes.size(); ++j) {
    if (shape[j] != 1) out[to_size(axes[j])] = strides[j];
  }
  return out;
}

BroadcastStrides strides_right_aligned(const Shape& shape, const Shape& target) {
  return strides_at(shape, target, consecutive(rank(target) - rank(shape), shape.size()));
}

std::vector<std::int64_t> pdpd_axes(const NamedShape& a, const NamedShape& b, std::int64_t axis,
                                    bool counts_all) {
  if (counts_all && b.shape.size() > a.shape.size()) {
    throw Error(cat(shown(b), " has more dimensions than ", shown(a)), "BC-P1", "",
                right_aligned_picture({a, b}, 0));
  }
  if (counts_all && axis < -1) throw Error(cat("axis ", axis, " is out of range (at least -1)"), "BC-P2");
  if (axis == -1) axis = rank(a.shape) - rank(b.shape);
  std::size_t trimmed = b.shape.size();
  while (trimmed > 0 && b.shape[trimmed - 1] == 1) --trimmed;
  if (axis < 0 || axis > rank(a.shape) - to_int64(trimmed)) {
    throw Error(cat(shown(b), " at axis ", axis,
                    axis < 0 ? " does not begin within " : " does not end within ", shown(a)),
                "BC-P3", "",
                axis < 0 ? right_aligned_picture({a, b}, 0)
                         : shape_picture({a, {b.name, b.shape, axis}}, rank(a.shape)));
  }
  for (std::size_t j = 0; j < trimmed; ++j) {
    const std::size_t d = to_size(axis) + j;
    if (b.shape[j] == 1 || b.shape[j] == a.shape[d]) continue;
    throw Error(
        cat(shown(b), " at axis ", axis, " does not broadcast to ", shown(a), ": dimension ", d, " of ",
            a.name, " is ", a.shape[d], ", dimension ", j, " of ", b.name, " is ", b.shape[j]),
        "BC-P4", "", shape_picture({a, {b.name, b.shape, axis}}, to_int64(d)));
  }
  return consecutive(axis, trimmed);
}

std::vector<std::int64_t> legacy_axes(const NamedShape& a, const NamedShape& b,
                                      std::optional<std::int64_t> axis) {
  const std::int64_t spare = rank(a.shape) - rank(b.shape);
  if (spare < 0)
    throw Error(cat(shown(b), " has more dimensions than ", shown(a)), "BC-L3", "",
                right_aligned_picture({a, b}, 0));
  if (element_count(b.shape) == 1) return {};
  const std::int64_t begin = axis.value_or(spare);
  if (begin < 0 || begin > spare) {
    throw Error(cat("axis ", begin, " is out of range for ", shown(b), " within ", shown(a), " (allowed 0..",
                    spare, ")"),
                "BC-L5", "", shape_picture({a, {b.name, b.shape, begin}}, rank(a.shape)));
  }
  for (std::size_t j = 0; j < b.shape.size(); ++j) {
    const std::size_t d = to_size(begin) + j;
    if (b.shape[j] == a.shape[d]) continue;
    throw Error(
        cat(shown(b), " at axis ", begin, " is not a contiguous part of ", shown(a), ": dimension ", d,
            " of ", a.name, " is ", a.shape[d], ", dimension ", j, " of ", b.name, " is ", b.shape[j]),
        "BC-L6", "", shape_picture({a, {b.name, b.shape, begin}}, to_int64(d)));
  }
  return consecutive(begin, b.shape.size());
}

}  // namespace tensorop
