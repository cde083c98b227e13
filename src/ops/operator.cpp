#include "ops/operator.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace tensorop {

std::string_view reason_text(OpenReason reason) {
  switch (reason) {
    case OpenReason::duplicate_updates:
      return "duplicate indices without a reduction";
    case OpenReason::nan_in_extreme:
      return "NaN in min or max";
    case OpenReason::zeros_in_extreme:
      return "zeros of both signs in min or max";
    case OpenReason::nan_or_zeros:
      return "NaN, or zeros of both signs, in min or max";
    case OpenReason::zero_divisor:
      return "division by zero";
    case OpenReason::wide_shift:
      return "a shift by at least the width of the dtype";
    case OpenReason::wide_or_overflow:
      return "a shift by at least the width of the dtype, or out of the range of a signed dtype";
    case OpenReason::none:
      break;
  }
  __builtin_unreachable();
}

const AttributeSpec* find_attribute(const Operator& op, std::string_view name) {
  const auto found = std::ranges::find(op.attributes, name, &AttributeSpec::name);
  return found == op.attributes.end() ? nullptr : &*found;
}

const AttributeRow* find_attribute(const Version& version, std::string_view name) {
  const auto found = std::ranges::find(version.attributes, name, &AttributeRow::name);
  return found == version.attributes.end() ? nullptr : &*found;
}

std::vector<std::string> words_of(Choices choices) {
  std::vector<std::string> out;
  for (const Choice& choice : choices) out.emplace_back(choice.word);
  return out;
}

std::vector<std::string> allowed_words(const AttributeSpec& spec, const Version& version) {
  const AttributeRow& row = *find_attribute(version, spec.name);
  if (row.choices.empty()) return words_of(spec.choices);
  return {row.choices.begin(), row.choices.end()};
}

std::string_view default_text(const AttributeSpec& spec, const OperatorName& name, const Version& version) {
  if (name.preset.attribute == spec.name) return name.preset.text;
  const AttributeRow* row = find_attribute(version, spec.name);
  if (row != nullptr && row->required) return {};
  return row != nullptr && !row->default_text.empty() ? row->default_text : spec.default_text;
}

std::string_view default_oob(const Operator& op) {
  const auto value = static_cast<int>(op.versions.front().rules.index.out_of_bounds);
  return std::ranges::find(op.oob, value, &Choice::value)->word;
}

std::string_view type_variable(const Operator& op, const Version& version, std::size_t i) {
  const std::string_view own = op.operands[std::min(i, op.operands.size() - 1)].type;
  const bool listed = std::ranges::find(version.types, own, &TypeRow::type) != version.types.end();
  return listed ? own : op.operands[0].type;
}

DTypeSet allowed_types(const Version& version, std::string_view type) {
  const auto found = std::ranges::find(version.types, type, &TypeRow::type);
  return found == version.types.end() ? DTypeSet{} : found->allowed;
}

DTypeSet missing_types(const Version& version, std::string_view type) {
  const auto found = std::ranges::find(version.types, type, &TypeRow::type);
  return found == version.types.end() ? DTypeSet{} : found->missing;
}

std::string spec_name(const Version& version) {
  return spec_name(version.framework, version.since);
}

std::string published_name(const Version& version) {
  return published_name(version.framework, version.published, version.since);
}

std::string version_name(const Version& version) {
  const Framework publisher = version.framework;
  const bool is_one =
      publisher == Framework::standard || publisher_of(publisher).numbering == Numbering::none;
  return is_one ? std::string(framework_name(publisher))
                : cat(framework_name(publisher), " ", published_name(version));
}

std::string version_name(const Version& version, std::string_view verb) {
  if (version.framework == Framework::standard) {
    if (verb == "has" || verb == "does") {
      verb = verb == "has" ? "have" : "do";
    } else {
      verb.remove_suffix(1);
    }
  }
  return cat(version_name(version), " ", verb);
}

const PublishedNames* published_names(const Operator& op, Framework framework) {
  const auto row = std::ranges::find(op.published_names, framework, &PublishedNames::framework);
  return row == op.published_names.end() ? nullptr : &*row;
}

bool means(const OperatorName& name, const Version& version) {
  if (name.of != Framework::standard && name.of != version.framework) return false;
  return name.published.empty() ||
         std::ranges::find(name.published, version.published) != name.published.end();
}

std::string all_versions(const Operator& op) {
  std::vector<std::string> names;
  bool standard = false;
  for (const Version& version : op.versions) {
    if (version.framework == Framework::standard) {
      standard = true;
    } else {
      // Two of the operators may be in one opset: Scatter and ScatterElements of onnx-11.
      const std::string name = spec_name(version);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  std::string out = join(names);
  if (standard) out += cat(names.empty() ? "" : " and ", "the default semantics (no --spec)");
  return out;
}

}  // namespace tensorop
