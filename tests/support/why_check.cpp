#include "support/why_check.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "engine/version.hpp"
#include "explain/why.hpp"
#include "explain/why_refusal.hpp"
#include "ops/index_policy.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

// "0:4;2:7;" of contributions; only the used ones, or all.
std::string text_of(const ElementOrigin& origin, bool all) {
  std::string out;
  for (const Contribution& part : origin.from) {
    if (all || part.is_used) out += cat(part.element.operand, ":", part.element.position, ";");
  }
  return out;
}

// The positions of the result whose origins have the element, as often as they have it.
std::multiset<std::int64_t> positions_with(const std::vector<std::string>& origins,
                                           const std::string& element) {
  std::multiset<std::int64_t> out;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    std::istringstream parts(origins[i]);
    for (std::string part; std::getline(parts, part, ';');) {
      if (part == element) out.insert(static_cast<std::int64_t>(i));
    }
  }
  return out;
}

bool has_bits(const Tensor& value, const Tensor& result, std::int64_t position) {
  const auto width = static_cast<std::size_t>(element_size(result.dtype()));
  if (result.dtype() == DType::string)
    return value.strings()[0].view() == result.strings()[static_cast<std::size_t>(position)].view();
  return std::memcmp(value.data(), result.data() + static_cast<std::size_t>(position) * width, width) == 0;
}

}  // namespace

std::string why_faults(Random& random, const Request& request, const Settings& settings, const Tensor& result,
                       const reference::Arguments& arguments, std::int64_t tried) {
  constexpr int kTried = 3;
  const auto used = reference::origins(arguments);
  const auto all = reference::origins(arguments, reference::Overwritten::listed);
  const auto open = reference::open_elements(arguments);
  const Explainer explainer(request, settings);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < tried && result.size() != 0; ++i)
    positions.push_back(random.between(0, result.size() - 1));
  for (const ElementOrigin& origin : explainer.origins(positions)) {
    const std::int64_t position = origin.position;
    const auto at = static_cast<std::size_t>(position);
    if (!has_bits(origin.value, result, position)) return cat("why has another value at ", position);
    if (origin.is_open != open[at]) return cat("why is wrong about what is open at ", position);
    if (origin.contributions != static_cast<std::int64_t>(origin.from.size())) continue;
    if (text_of(origin, false) != used[at])
      return cat("why lists ", text_of(origin, false), " at ", position, ", not ", used[at]);
    if (text_of(origin, true) != all[at])
      return cat("why lists ", text_of(origin, true), " at ", position, ", not ", all[at]);
  }
  for (int i = 0; i < kTried; ++i) {
    const auto operand =
        static_cast<std::size_t>(random.between(0, std::int64_t(arguments.operands.size()) - 1));
    const Tensor& tensor = explainer.call().operands[operand];
    if (tensor.size() == 0 || explainer.call().operand_spec(operand).role != OperandRole::data) continue;
    const OperandElement element{operand, random.between(0, tensor.size() - 1)};
    const std::string name = cat(operand, ":", element.position);
    const auto goes_to = positions_with(all, name);
    const auto is_used_at = positions_with(used, name);
    const Arrivals arrivals = explainer.arrivals(element);
    if (arrivals.count != static_cast<std::int64_t>(goes_to.size()))
      return cat("why says that ", name, " goes to ", arrivals.count, " elements, not ", goes_to.size());
    for (const Arrival& arrival : arrivals.list) {
      if (!goes_to.contains(arrival.position) || arrival.is_used != is_used_at.contains(arrival.position))
        return cat("why is wrong about ", name, " at ", arrival.position);
    }
  }
  return {};
}

namespace {

// The value of an attribute that the call's name ("BitwiseLeftShift") or the call gives; empty if none.
std::string said_of(const Request& request, std::string_view attribute) {
  for (const NamedText& given : request.attributes) {
    if (given.name == attribute) return lower(given.text);
  }
  const auto& preset = request.op.name->preset;
  if (preset.attribute == attribute) return std::string(preset.text);
  const AttributeSpec* spec = find_attribute(*request.op.op, attribute);
  return spec == nullptr ? "" : std::string(spec->default_text);
}

// Whether two words of an attribute say the same: add and sum.
bool says_same(const Request& request, std::string_view attribute, const std::string& a,
               const std::string& b) {
  const AttributeSpec* const spec = find_attribute(*request.op.op, attribute);
  if (spec == nullptr || spec->choices.empty()) return a == b;
  const auto one = std::ranges::find(spec->choices, a, &Choice::word);
  const auto other = std::ranges::find(spec->choices, b, &Choice::word);
  const bool are_words = one != spec->choices.end() && other != spec->choices.end();
  return a == b || (are_words && one->value == other->value);
}

// A name of the operator for the version that does not say otherwise; null where there is none.
const OperatorName* name_for(const Request& request, const Version& version) {
  if (means(*request.op.name, version)) return request.op.name;
  for (const OperatorName& name : request.op.op->names) {
    const std::string said = said_of(request, name.preset.attribute);
    if (means(name, version) && name.makes_data == request.op.name->makes_data &&
        (name.preset.attribute.empty() || said.empty() ||
         says_same(request, name.preset.attribute, said, std::string(name.preset.text))))
      return &name;
  }
  // What the name presets is a default beside what the call gives.
  for (const OperatorName& name : request.op.op->names) {
    const auto given = std::ranges::find(request.attributes, name.preset.attribute, &NamedText::name);
    if (!means(name, version) || name.makes_data != request.op.name->makes_data || name.preset.is_fixed ||
        given == request.attributes.end())
      continue;
    if (find_attribute(version, given->name) == nullptr) continue;
    Request own = request;
    own.op.name = &name;
    write_own_words(version, own);
    const AttributeSpec& spec = *find_attribute(*request.op.op, given->name);
    const std::vector<std::string> words = allowed_words(spec, version);
    const auto at = static_cast<std::size_t>(given - request.attributes.begin());
    if (words.empty() || std::ranges::count(words, own.attributes[at].text) != 0) return &name;
  }
  return nullptr;
}

// The rule that a version says is broken; "accepted" for a result.
std::string rule_by(const Request& request, const Settings& settings, const VersionVerdict& verdict) {
  const Version& version = *verdict.version;
  Request own = request;
  if (!verdict.mode.empty())
    own.attributes.push_back(
        {std::string(policy_attribute(*verdict.op, version)->name), Operand(verdict.mode)});
  own.spec.reset();
  if (version.framework != Framework::standard) own.spec = spec_name(version.framework, version.since);
  own.op.name = name_for(request, version);
  // The attribute repeats what the name says.
  const auto& preset = request.op.name->preset;
  const bool is_given =
      std::ranges::find(own.attributes, preset.attribute, &NamedText::name) != own.attributes.end();
  if (own.op.name->preset.attribute != preset.attribute && !preset.attribute.empty() && !is_given)
    own.attributes.push_back({std::string(preset.attribute), Operand(std::string(preset.text))});
  // The same call has the same attributes, where their defaults differ.
  const Version& called = find_version(request.op, request.spec);
  const auto says = [&](std::string_view name) {
    return name == preset.attribute ||
           std::ranges::find(request.attributes, name, &NamedText::name) != request.attributes.end();
  };
  for (const AttributeSpec& spec : request.op.op->attributes) {
    const std::string_view text = default_text(spec, *request.op.name, called);
    const auto is_other = [&](const Version& other) {
      const OperatorName* const name = name_for(request, other);
      if (name == nullptr || find_attribute(other, spec.name) == nullptr) return false;
      const std::string_view own_text = default_text(spec, *name, other);
      return !own_text.empty() && own_text != text;
    };
    if (text.empty() || says(spec.name) || is_policy(spec) || (spec.name == "axis" && says("flat")) ||
        find_attribute(version, spec.name) == nullptr)
      continue;
    if (std::ranges::any_of(request.op.op->versions, is_other))
      own.attributes.push_back({std::string(spec.name), Operand(std::string(text))});
  }
  write_own_words(version, own);
  try {
    (void)evaluate(own, settings);
    return "accepted";
  } catch (const Failure& error) {
    return error.rule();
  }
}

}  // namespace

void write_own_words(const Version& version, Request& request) {
  for (NamedText& given : request.attributes) {
    const AttributeSpec* const spec = find_attribute(*request.op.op, given.name);
    if (spec == nullptr || find_attribute(version, given.name) == nullptr || is_policy(*spec)) continue;
    const auto own = std::ranges::find(spec->choices, given.text, &Choice::word);
    if (own == spec->choices.end()) continue;
    const std::vector<std::string> allowed = allowed_words(*spec, version);
    if (std::ranges::find(allowed, given.text) != allowed.end()) continue;
    for (const Choice& other : spec->choices) {
      if (other.value == own->value && std::ranges::find(allowed, other.word) != allowed.end())
        given.text = other.word;
    }
  }
}

std::string refusal_faults(const Request& request, const Settings& settings, const Failure& error) {
  const Refusal refusal = why_refused(request, settings, error);
  if (error.rule().empty()) return refusal.versions.empty() ? "" : "versions are tried without a rule";
  const auto is_missing = [&](const Version& version) {
    return name_for(request, version) != nullptr &&
           std::ranges::find(refusal.versions, &version, &VersionVerdict::version) == refusal.versions.end();
  };
  if (std::ranges::any_of(request.op.op->versions, is_missing)) return "not all versions are tried";
  for (const VersionVerdict& verdict : refusal.versions) {
    if (verdict.op != request.op.op) continue;  // an operator of StableHLO that says the same
    const std::string said = verdict.error ? verdict.error->rule() : "accepted";
    const std::string expected = rule_by(request, settings, verdict);
    // why_refused() names the rule of the index that the call was refused for.
    const bool are_of_indices = said.starts_with("IX-") && expected.starts_with("IX-");
    // An attribute that a version lacks is left out if it says what the version does anyway.
    const bool is_left_out = expected == "G-8" && verdict.version != refusal.version;
    if (said != expected && !are_of_indices && !is_left_out)
      return cat(verdict.version->published, "-", verdict.version->since, ": why says ", said, ", not ",
                 expected);
    if (verdict.version == refusal.version && verdict.mode.empty() && said != error.rule())
      return cat("the version of the call breaks ", error.rule(), ", why says ", said);
  }
  if (refusal.index.has_value() != error.rule().starts_with("IX-1") &&
      refusal.index.has_value() != error.rule().starts_with("IX-2"))
    return "the index at fault is missing, or there is one too many";
  return {};
}

}  // namespace tensorop
