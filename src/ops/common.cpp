#include "ops/common.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "kernels/elements/element_plans.hpp"
#include "ops/broadcast_rules.hpp"

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

std::int64_t first_difference(const Shape& a, const Shape& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return in_a - a.begin();
}

IndexPolicy index_policy(const Call& call) {
  const IndexRule& rule = call.version->index;
  IndexPolicy policy{rule.negative, call.oob};
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    if (const auto* word = std::get_if<ChosenWord>(&call.attributes[i].value); word && is_policy(spec))
      policy.out_of_bounds = static_cast<OutOfBounds>(spec.choices[word->at].value);
  }
  if (policy.out_of_bounds == OutOfBounds::clip && rule.clips_raw) policy.negative = Negative::raw;
  if (policy.out_of_bounds == OutOfBounds::clamp) policy = {Negative::raw, OutOfBounds::clip};
  return policy;
}

std::string default_fill(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> std::string {
    if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      return cat(std::is_signed_v<T> ? Limits::lowest() : Limits::max());
    } else {
      return std::is_same_v<T, Bool> ? "true" : "NaN";
    }
  });
}

std::optional<Tensor> fill_value(const Call& call) {
  const Attribute* const attribute = call.find(kFillValueSpec.name);
  if (attribute == nullptr || index_policy(call).out_of_bounds != OutOfBounds::fill) return std::nullopt;
  return std::get<ElementValue>(attribute->value).element;
}

void check_fill_value(const Call& call) {
  const Attribute& attribute = *call.find(kFillValueSpec.name);
  const bool fills = index_policy(call).out_of_bounds == OutOfBounds::fill;
  if (fills && !call.strict() && !attribute.is_given) throw Error("oob fill needs fill_value", kCallRule);
  if (!fills && attribute.is_given && !call.strict())
    throw Error("fill_value is only allowed with oob fill", kCallRule);
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
    // Its message has the shapes that count.
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

Shape slice(const Shape& shape, std::int64_t begin, std::int64_t end) {
  return {shape.begin() + begin, shape.begin() + end};
}

void check_duplicates(const Call& call, AttributeKey<Reduction> key) {
  if (!call.duplicates || call.get(key) == Reduction::none) return;
  throw Error(cat("duplicates cannot be combined with reduction ", call.word(key),
                  ", which combines all updates of an element"),
              kCallRule);
}

Reduction checked_reduction(const Call& call, AttributeKey<Reduction> key) {
  const auto reduction = call.get(key);
  const DType dtype = call.operands[0].dtype();
  if (is_defined(reduction, dtype)) return reduction;
  const bool is_extreme = reduction == Reduction::min || reduction == Reduction::max;
  const bool is_ordered = kComplexTypes.contains(dtype) && is_extreme && call.version->missing_rule == "T-3";
  if (is_ordered || (kSmallTypes.contains(dtype) && call.strict()))
    throw Error(cat("reduction ", call.word(key), " of ", name(dtype), kNotHere), kMissingRule);
  const AttributeSpec& spec = call.op->attributes[key.at];
  std::vector<std::string> allowed;
  for (const std::string& word : allowed_words(spec, *call.version)) {
    const auto choice = std::ranges::find(spec.choices, word, &Choice::word);
    if (is_defined(static_cast<Reduction>(choice->value), dtype)) allowed.push_back(word);
  }
  throw Error(cat("reduction ", call.word(key), " is not defined for ", name(dtype),
                  " data (allowed: ", join(allowed), ")"),
              kSmallTypes.contains(dtype) ? "T-1" : "T-3");
}

namespace {

// NumPy's rule, one way.
bool broadcasts(const Shape& shape, const Shape& target) {
  if (shape.size() > target.size()) return false;
  return std::equal(shape.rbegin(), shape.rend(), target.rbegin(),
                    [](std::int64_t own, std::int64_t wanted) { return own == 1 || own == wanted; });
}

std::string updates_picture(const Shape& updates, const Shape& expected, bool repeat) {
  const std::vector<NamedShape> lines = {{"updates", updates}, {"expected", expected}};
  if (!repeat) return shape_picture(lines, first_difference(updates, expected));
  const std::int64_t missing = rank(expected) - rank(updates);
  std::int64_t at = std::max<std::int64_t>(missing, 0);
  while (missing >= 0 &&
         (updates[to_size(at - missing)] == 1 || updates[to_size(at - missing)] == expected[to_size(at)]))
    ++at;
  return right_aligned_picture(lines, at);
}

}  // namespace

void require_updates_shape(const Call& call, const Shape& expected, bool repeat, const std::string& why,
                           std::string_view rule, const std::string& hint) {
  const Shape& updates = call.operands[2].shape();
  if (updates == expected || (repeat && broadcasts(updates, expected))) return;
  const bool could = !repeat && !call.strict() && broadcasts(updates, expected);
  throw Error(cat("updates ", to_string(updates), repeat ? " must broadcast to " : " must have shape ",
                  to_string(expected), ": ",
                  call.selected ? cat("the mask has ", counted(*call.selected, "true element")) : why),
              rule, hint.empty() && could ? cat(call.option("broadcast_updates"), " repeats them") : hint,
              updates_picture(updates, expected, repeat));
}

}  // namespace tensorop
