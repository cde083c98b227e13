#include "engine/version.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

// Returns a hint for text that names one version of an operator, as publishers do: gather-7.
std::string published_hint(std::string_view text) {
  const std::size_t dash = text.find('-');
  const FoundOperator found = find_operator(text.substr(0, dash));
  if (found.op == nullptr) return {};
  std::vector<std::string> same;
  std::vector<std::string> all;
  for (const Version& version : found.op->versions) {
    if (version.framework == Framework::standard || !means(*found.name, version)) continue;
    all.push_back(spec_name(version));
    if (dash != std::string_view::npos && text.substr(dash + 1) == cat(version.since))
      same.push_back(all.back());
  }
  return cat("--spec names the publisher and its version: ", join_words(same.empty() ? all : same, "or"));
}

// Returns a hint for text that has something other than one dash between publisher and version: onnx13,
// ONNX:13.
std::string spec_hint(std::string_view text) {
  const std::size_t digits = text.find_first_of("0123456789");
  std::string name(text.substr(0, digits));
  while (!name.empty() && (name.back() < 'a' || name.back() > 'z')) name.pop_back();
  std::vector<std::string> names;
  for (const Publisher& publisher : kPublishers) names.emplace_back(publisher.name);
  const std::string near = nearest(name, names);
  if ((name.empty() || name == "opset") && digits != std::string_view::npos)
    return spec_hint(cat("onnx-", text.substr(digits)));
  if (near.empty()) return published_hint(text);
  const Publisher& publisher = *find_publisher(near);
  const std::string newest = spec_name(publisher.framework, publisher.newest);
  if (publisher.numbering != Numbering::opset) return cat("did you mean ", newest, "?");
  const auto opset = digits == std::string_view::npos ? std::nullopt : parse_int64(text.substr(digits));
  if (!opset || *opset < 1) return cat("name the opset too, as in ", newest);
  return cat("did you mean ", near, "-", std::min<std::int64_t>(*opset, publisher.newest), "?");
}

// Returns the number in "13", "1.1" or "1"; nothing if it is not a version number.
std::optional<std::int64_t> version_number(const Publisher& publisher, std::string_view text) {
  if (publisher.numbering != Numbering::release) {
    const auto number = parse_int64(text);
    return number && *number >= std::min(1, publisher.newest) ? number : std::nullopt;
  }
  const std::size_t dot = text.find('.');
  const auto major = parse_int64(text.substr(0, dot));
  // A major version alone means its newest minor version.
  const auto minor = dot != std::string_view::npos ? parse_int64(text.substr(dot + 1))
                     : major == publisher.newest / release(1, 0)
                         ? std::optional<std::int64_t>(publisher.newest % release(1, 0))
                         : std::optional<std::int64_t>(release(1, 0) - 1);
  if (!major || !minor || *major < 0 || *minor < 0 || *minor >= release(1, 0)) return std::nullopt;
  return *major >= release(1, 0) ? std::optional<std::int64_t>(release(999, 999))
                                 : *major * release(1, 0) + *minor;
}

}  // namespace

Spec parse_spec(const std::optional<std::string>& text) {
  if (!text) return {};
  const std::string folded = lower(*text);
  const std::size_t dash = folded.find('-');
  if (const Publisher* const publisher = find_publisher(folded.substr(0, dash)); publisher != nullptr) {
    if (publisher->numbering == Numbering::none && dash == std::string::npos)
      return {publisher->framework, 0};
    const auto number = publisher->numbering == Numbering::none || dash == std::string::npos
                            ? std::nullopt
                            : version_number(*publisher, std::string_view(folded).substr(dash + 1));
    if (number && *number > publisher->newest) {
      throw Error(cat("spec ", in_quotes(*text), ": the newest known ",
                      publisher->numbering == Numbering::opset ? "opset" : "version", " is ",
                      spec_name(publisher->framework, publisher->newest)),
                  "T-0");
    }
    if (number) return {publisher->framework, static_cast<int>(*number)};
  }
  throw Error(cat("spec ", in_quotes(*text), " is not a specification: use ", join_words(spec_forms(), "or")),
              "T-0", spec_hint(folded));
}

std::vector<std::string> spec_texts() {
  std::vector<std::string> out;
  for (const Publisher& publisher : kPublishers) {
    const Framework framework = publisher.framework;
    if (publisher.numbering == Numbering::opset) {
      for (int opset = 1; opset <= publisher.newest; ++opset) out.push_back(spec_name(framework, opset));
      continue;
    }
    std::set<int> changes;  // versions in which an operator of the family changed
    for (const Operator* op : kOperators) {
      for (const Version& version : op->versions) {
        if (version.framework == framework) changes.insert(version.since);
      }
    }
    for (const int version : changes) out.push_back(spec_name(framework, version));
  }
  return out;
}

std::vector<std::string> all_spec_texts() {
  std::vector<std::string> out = spec_texts();
  out.emplace_back("all");
  for (const Publisher& publisher : kPublishers) {
    if (publisher.numbering != Numbering::none) out.emplace_back(publisher.name);
  }
  return out;
}

const Version& find_version(const FoundOperator& found, const std::optional<std::string>& text) {
  const Spec spec = parse_spec(text);
  const Version* best = nullptr;
  std::vector<std::string> known;
  for (const Version& version : found.op->versions) {
    if (spec.framework != Framework::standard && !means(*found.name, version)) continue;
    if (version.framework != Framework::standard) known.push_back(spec_name(version));
    if (version.framework != spec.framework || version.since > spec.version) continue;
    if (best == nullptr || version.since >= best->since) best = &version;
  }
  if (best != nullptr) return *best;
  const std::string asked = spec_name(spec.framework, spec.version);
  throw Error(cat(asked, " has no operator of this name"), "T-0",
              cat(found.name->name, " is in ",
                  known.empty() ? cat("no version of ", publisher_of(spec.framework).name) : join(known)));
}

const OperatorName* name_in(const Request& request, const Version& version) {
  const OperatorName& own = *request.op.name;
  if (means(own, version)) return &own;
  const auto value_of = [](const AttributeSpec& spec, const std::string& text) {
    const auto found = std::ranges::find(spec.choices, text, &Choice::word);
    return found == spec.choices.end() ? text : cat(found->value);
  };
  const auto fits = [&](const OperatorName& name) {
    const OperatorName::Preset& preset = name.preset;
    if (!means(name, version) || name.takes_arrays != own.takes_arrays || name.makes_data != own.makes_data)
      return false;
    if (preset.attribute.empty()) return true;
    const AttributeSpec& spec = *find_attribute(*request.op.op, preset.attribute);
    const auto given = std::ranges::find(request.attributes, spec.name, &NamedText::name);
    const bool is_given = given != request.attributes.end();
    const std::string asked = is_given                                   ? lower(given->text)
                              : own.preset.attribute == preset.attribute ? std::string(own.preset.text)
                                                                         : std::string(spec.default_text);
    const std::string value = value_of(spec, asked);
    if (asked.empty() || value == value_of(spec, std::string(preset.text))) return true;
    // A preset is a default, if it is not fixed.
    if (!is_given || preset.is_fixed || find_attribute(version, spec.name) == nullptr) return false;
    const std::vector<std::string> words = allowed_words(spec, version);
    return words.empty() ||
           std::ranges::any_of(words, [&](const std::string& word) { return value_of(spec, word) == value; });
  };
  const OperatorName* out = nullptr;
  for (const OperatorName& name : request.op.op->names) {
    if (!fits(name)) continue;
    if (name.preset == own.preset) return &name;
    if (out == nullptr) out = &name;
  }
  return out;
}

void rename(Request& request, const OperatorName& name) {
  const OperatorName::Preset& preset = request.op.name->preset;
  const auto is_preset = [&](const NamedText& given) {
    return given.name == preset.attribute || (preset.attribute == kFlatSpec.name && given.name == "axis");
  };
  if (&name != request.op.name && !preset.attribute.empty() && name.preset.attribute != preset.attribute &&
      std::ranges::none_of(request.attributes, is_preset))
    request.attributes.emplace_back(std::string(preset.attribute), Operand(std::string(preset.text)));
  request.op.name = &name;
}

std::optional<Request> call_in(const Request& request, const Version& version) {
  const OperatorName* const name = name_in(request, version);
  if (name == nullptr) return std::nullopt;
  Request out = request;
  rename(out, *name);
  out.spec.reset();
  if (version.framework != Framework::standard) out.spec = spec_name(version);
  return out;
}

void require_dtype(Call& call, std::size_t i, DType dtype, std::string_view operand,
                   const std::string& hint) {
  const std::string_view type = type_variable(*call.op, *call.version, i);
  const DTypeSet allowed = allowed_types(*call.version, type);
  if (allowed.contains(dtype)) return;
  if (missing_types(*call.version, type).contains(dtype)) return call.lack(cat(operand, " is ", name(dtype)));
  throw Error(cat(operand, " is ", name(dtype), "; ", call.version_name("allows"), " ", allowed.names()),
              call.operand_spec(i).rule, hint);
}

bool converts(const Version& version, std::string_view type, DType a, DType b) {
  const auto has = [&](DTypeSet types) { return types.contains(a) || types.contains(b); };
  if (!version.rules.converts || has(kSmallTypes)) return false;
  const DTypeSet known = allowed_types(version, type) | missing_types(version, type);
  // Strings take numbers where they are only moved.
  if (has(DType::string)) return known.contains(DType::boolean) && known.contains(DType::string);
  if (has(kFloatTypes | kComplexTypes)) return true;
  if (has(publisher_of(version.framework).rules.only_to_floats)) return false;
  // uint64 and signed integers have floats in common.
  return !has(DType::uint64) || !has(kSignedTypes) || known.contains(DType::float64);
}

}  // namespace tensorop
