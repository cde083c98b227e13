#include "ops/index_policy.hpp"

#include <limits>
#include <type_traits>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

const AttributeRow* policy_attribute(const Operator& op, const Version& version) {
  for (const AttributeRow& row : version.attributes) {
    if (is_policy(*find_attribute(op, row.name))) return &row;
  }
  return nullptr;
}

IndexPolicy index_policy(const Call& call) {
  const IndexRule& rule = call.version->rules.index;
  IndexPolicy policy{rule.negative, call.oob};
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    const auto* const word = std::get_if<ChosenWord>(&call.attributes[i].value);
    if (word == nullptr || !is_policy(spec)) continue;
    policy.out_of_bounds = static_cast<OutOfBounds>(spec.choices[word->at].value);
    // Without negative indices these are out of range like any other.
    if (policy.out_of_bounds != OutOfBounds::error && rule.negative == Negative::refuse)
      policy.negative = Negative::raw;
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

}  // namespace tensorop
