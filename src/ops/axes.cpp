#include "ops/axes.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/elements/element_plans.hpp"

namespace tensorop {

std::int64_t normalize_axis(std::int64_t axis, const std::string& operand, const Shape& shape) {
  const std::int64_t r = rank(shape);
  if (axis >= -r && axis < r) return axis < 0 ? axis + r : axis;
  throw Error(cat("axis ", axis, " is out of range for ", operand, " of shape ", to_string(shape),
                  " (allowed ", -r, "..", r - 1, ")"),
              "AX-1");
}

void require_rank_1(const Call& call, std::size_t i, std::string_view rule) {
  if (call.operands[i].rank() >= 1) return;
  throw Error(cat(call.operand_name(i), " is a scalar; its rank must be at least 1"), rule);
}

void require_no_empty_axis(const Shape& data, std::int64_t begin, std::int64_t end) {
  const auto last = data.begin() + end;
  const auto empty = std::find(data.begin() + begin, last, 0);
  if (empty == last) return;
  throw Error(cat("indices select from axis ", empty - data.begin(), " of data ", to_string(data),
                  ", which is empty"),
              "IX-1");
}

void require_elements_for(const Shape& data, const Shape& indices) {
  if (element_count(data) != 0 || element_count(slice(indices, 0, rank(indices) - 1)) == 0) return;
  throw Error(cat("data ", to_string(data), " has no elements, and indices ", to_string(indices),
                  " has index tuples"),
              "IX-1");
}

std::int64_t first_difference(const Shape& a, const Shape& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return in_a - a.begin();
}

Shape slice(const Shape& shape, std::int64_t begin, std::int64_t end) {
  return {shape.begin() + begin, shape.begin() + end};
}

bool is_flat(const Call& call) {
  const Attribute* const flat = call.find(kFlatSpec.name);
  if (flat == nullptr || !std::get<bool>(flat->value)) return false;
  return flat->is_given || !call.find("axis")->is_given;
}

void check_flat(const Call& call) {
  if (is_flat(call) && call.find("axis")->is_given)
    throw Error("axis cannot be combined with flat", kCallRule);
}

std::int64_t indexed_size(const Call& call, std::int64_t axis) {
  const Shape& shape = call.operands[0].shape();
  return is_flat(call) || shape.empty() ? count(shape) : shape[to_size(axis)];
}

Call flattened(const Call& call, std::size_t operands) {
  Call out = call;
  for (std::size_t i = 0; i < operands; ++i) {
    const Tensor& operand = call.operands[i];
    out.operands[i] = operand.reshaped({count(operand.shape())});
  }
  return out;
}

namespace {

Call without_scalars(const Call& call) {
  Call out = call;
  for (Tensor& operand : out.operands) {
    if (operand.rank() == 0) operand = operand.reshaped({1});
  }
  return out;
}

}  // namespace

Planned plan_without_scalars(const Call& call, Planned (*plan)(const Call&)) {
  try {
    return plan(without_scalars(call));
  } catch (Failure& error) {
    // The message shows shape (1), not the shape that was given.
    if (std::ranges::any_of(call.operands, [](const Tensor& operand) { return operand.rank() == 0; }))
      error.add_hint("an operand of shape () counts as one of shape (1)");
    throw;
  }
}

bool selects_nothing(const Call& call) {
  if (element_count(call.operands[1].shape()) != 0) return false;
  const Shape& data = call.operands[0].shape();
  (void)normalize_axis(std::get<std::int64_t>(call.find("axis")->value), "data",
                       data.empty() ? Shape{1} : data);
  return true;
}

Planned nothing_of(const Call& call, OutputInfo output, std::optional<SliceGeometry> slices) {
  auto plan = repeat_plan(call.operands[0], output.shape, BroadcastStrides(output.shape.size()));
  return {std::move(output), std::move(plan), std::move(slices)};
}

Planned copy_of(const Call& call, std::optional<SliceGeometry> slices) {
  const Tensor& data = call.operands[0];
  return {checked_output(data.dtype(), data.shape()), copy_plan(data), std::move(slices)};
}

void require_vector(const Call& call) {
  const Shape& indices = call.operands[1].shape();
  if (indices.size() <= 1) return;
  throw Error(cat("indices ", to_string(indices), " must have rank 1"), "PT-2");
}

}  // namespace tensorop
