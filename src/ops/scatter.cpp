#include "ops/scatter.hpp"

#include <algorithm>
#include <iterator>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {

std::string_view sign_of(Reduction reduction, bool is_bool) {
  struct Row {
    Reduction reduction;
    std::string_view sign;
    std::string_view of_bools;
  };
  static constexpr Row kRows[] = {{Reduction::add, "+", "+"},      {Reduction::sub, "-", "-"},
                                  {Reduction::mul, "*", "*"},      {Reduction::and_bits, "&", "and"},
                                  {Reduction::or_bits, "|", "or"}, {Reduction::xor_bits, "^", "xor"}};
  const auto* const row = std::ranges::find(kRows, reduction, &Row::reduction);
  return row == std::end(kRows) ? std::string_view() : is_bool ? row->of_bools : row->sign;
}

void check_duplicates(const Call& call, AttributeKey<Reduction> key) {
  if (!call.duplicates || call.get(key) == Reduction::none) return;
  throw Error(cat("duplicates cannot be combined with reduction ", call.word(key),
                  ", which combines all updates of an element"),
              kCallRule);
}

void check_reduction(Call& call) {
  const auto own = std::ranges::find_if(call.op->attributes, [](const AttributeSpec& spec) {
    return !spec.choices.empty() && spec.choices[0].type == &kEnumTag<Reduction>;
  });
  if (own == call.op->attributes.end()) return;
  const AttributeKey<Reduction> key{to_size(own - call.op->attributes.begin())};
  const auto reduction = call.get(key);
  const DType dtype = call.operands[0].dtype();
  // A dtype that tensorop only moves or lacks is judged as one of its kind, integers or floats, that it
  // computes.
  const bool is_lacking = call.missing || (kSmallTypes.contains(dtype) && call.strict());
  const bool is_integer = (kIntegerTypes | kSmallIntegerTypes).contains(dtype) || dtype == DType::boolean;
  const DType judged = !is_lacking ? dtype : is_integer ? DType::int32 : DType::float32;
  const bool is_extreme = reduction == Reduction::min || reduction == Reduction::max;
  const bool is_ordered =
      kComplexTypes.contains(dtype) && is_extreme && call.version->rules.missing_rule == "T-3";
  if (is_defined(reduction, judged) || is_ordered) {
    if (!call.missing && !is_defined(reduction, dtype))
      call.lack(cat("reduction ", call.word(key), " of ", name(dtype)));
    return;
  }
  std::vector<std::string> allowed;
  for (const std::string& word : allowed_words(*own, *call.version)) {
    const auto choice = std::ranges::find(own->choices, word, &Choice::word);
    if (is_defined(static_cast<Reduction>(choice->value), judged)) allowed.push_back(word);
  }
  throw Error(cat("reduction ", call.word(key), " is not defined for ", name(dtype),
                  " data (allowed: ", join(allowed), ")"),
              kSmallTypes.contains(dtype) && !is_lacking ? "T-1" : "T-3");
}

namespace {

// Whether `shape` broadcasts to `target` by NumPy's rule.
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
                           std::string_view rule) {
  const Shape& updates = call.operands[2].shape();
  if (updates == expected || (repeat && broadcasts(updates, expected))) return;
  const bool could = !repeat && !call.strict() && broadcasts(updates, expected);
  throw Error(
      cat("updates ", to_string(updates), repeat ? " must broadcast to " : " must have shape ",
          to_string(expected), ": ",
          call.has_mask() ? cat("the mask has ", counted(call.operands[1].size(), "true element")) : why),
      rule, could ? cat(call.option("broadcast_updates"), " repeats them") : "",
      updates_picture(updates, expected, repeat));
}

}  // namespace tensorop
