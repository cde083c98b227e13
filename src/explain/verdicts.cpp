#include "explain/verdicts.hpp"

#include <algorithm>
#include <iterator>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "engine/index_forms.hpp"
#include "engine/stablehlo.hpp"
#include "engine/version.hpp"
#include "ops/axes.hpp"
#include "ops/fault_text.hpp"
#include "ops/index_policy.hpp"
#include "ops/registry.hpp"
#include "ops/statement.hpp"

namespace tensorop {

const Version* version_of(const Request& request) {
  try {
    return &find_version(request.op, request.spec);
  } catch (const Error&) {
    return nullptr;
  }
}

std::string_view default_of(const AttributeSpec& spec, const Request& request, const Version* own) {
  return own == nullptr ? spec.default_text : default_text(spec, *request.op.name, *own);
}

void translate_words(const Version& version, Request& request) {
  for (NamedText& given : request.attributes) {
    const AttributeSpec* const spec = find_attribute(*request.op.op, given.name);
    if (spec == nullptr || find_attribute(version, given.name) == nullptr || is_policy(*spec)) continue;
    const auto chosen = std::ranges::find(spec->choices, lower(given.text), &Choice::word);
    if (chosen == spec->choices.end()) continue;
    const std::vector<std::string> allowed = allowed_words(*spec, version);
    if (std::ranges::find(allowed, chosen->word) != allowed.end()) continue;
    const auto same = std::ranges::find_if(spec->choices, [&](const Choice& choice) {
      return choice.value == chosen->value && std::ranges::find(allowed, choice.word) != allowed.end();
    });
    if (same != spec->choices.end()) given.text = same->word;
  }
}

std::vector<VersionCall> in_each_mode(const VersionCall& call) {
  const AttributeRow* const policy = policy_attribute(*call.request.op.op, *call.version);
  if (policy == nullptr) return {call};
  const AttributeSpec& spec = *find_attribute(*call.request.op.op, policy->name);
  if (std::ranges::count(call.request.attributes, spec.name, &NamedText::name) != 0) return {call};
  std::vector<VersionCall> out;
  std::vector<int> values;  // values of the words so far; other words may mean the same value
  for (const std::string& word : allowed_words(spec, *call.version)) {
    const int value = std::ranges::find(spec.choices, word, &Choice::word)->value;
    if (std::ranges::find(values, value) != values.end()) continue;
    values.push_back(value);
    out.push_back({call.version, call.request, word});
    out.back().request.attributes.push_back({std::string(spec.name), Operand(word)});
  }
  return out;
}

namespace {

void drop_neutral(VersionCall& call) {
  const OperatorName::Preset& preset = call.request.op.name->preset;
  std::erase_if(call.request.attributes, [&](const NamedText& given) {
    const AttributeSpec* spec = find_attribute(*call.request.op.op, given.name);
    if (spec == nullptr || find_attribute(*call.version, given.name) != nullptr) return false;
    const bool is_preset = preset.attribute == given.name && preset.text == lower(given.text);
    return is_preset || lower(given.text) == spec->default_text;
  });
}

// Returns those defaults of the call's own version (or of the default semantics) that differ in another
// version and that the call does not give. All versions then get the same call.
std::vector<NamedText> own_defaults(const Request& request) {
  const Operator& op = *request.op.op;
  const Version* const own = version_of(request);
  const auto is_given = [&](std::string_view name) {
    return std::ranges::find(request.attributes, name, &NamedText::name) != request.attributes.end();
  };
  const std::string_view preset = request.op.name->preset.attribute;  // which rename() writes
  const bool is_flat = is_given(kFlatSpec.name) || preset == kFlatSpec.name;
  std::vector<NamedText> out;
  for (const AttributeSpec& spec : op.attributes) {
    const std::string_view text = default_of(spec, request, own);
    const auto differs = [&](const Version& version) {
      const OperatorName* const name = name_in(request, version);
      if (name == nullptr || find_attribute(version, spec.name) == nullptr) return false;
      const std::string_view other = default_text(spec, *name, version);
      return other != text && (!other.empty() || find_attribute(version, spec.name)->required);
    };
    const bool is_chosen =
        is_given(spec.name) || preset == spec.name || is_policy(spec) || (is_flat && spec.name == "axis");
    if (!text.empty() && !is_chosen && std::ranges::any_of(op.versions, differs))
      out.emplace_back(std::string(spec.name), Operand(std::string(text)));
  }
  return out;
}

// Operators of other publishers that mean the same: Expand-13 is broadcast_to, Mod-13 remainder.
struct Sibling {
  const Operator* op;
  const Operator* other;
  std::string_view attribute;  // only calls in which it has `value`, the default; empty: any call
  std::string_view value;
};
constexpr Sibling kSiblings[] = {{&kMod, &kFloorMod, "fmod", "false"},
                                 {&kFloorMod, &kMod, {}, {}},
                                 {&kExpand, &kBroadcast, {}, {}},
                                 {&kBroadcast, &kExpand, "mode", "numpy"}};

// Returns the sibling's call under each of its versions except the default semantics.
std::vector<VersionCall> sibling_calls(const Request& request) {
  std::vector<VersionCall> out;
  const auto sibling = std::ranges::find(kSiblings, request.op.op, &Sibling::op);
  if (sibling == std::end(kSiblings) || !request.op.name->preset.attribute.empty()) return out;
  Request other = request;
  std::erase_if(other.attributes, [&](const NamedText& given) {
    return given.name == sibling->attribute && lower(given.text) == sibling->value;
  });
  const auto is_unknown = [&](const NamedText& given) {
    return find_attribute(*sibling->other, given.name) == nullptr;
  };
  if (std::ranges::any_of(other.attributes, is_unknown)) return out;
  other.op = {sibling->other, sibling->other->names.data()};
  for (const Version& version : sibling->other->versions) {
    if (version.framework == Framework::standard) continue;
    if (auto call = call_in(other, version)) out.push_back({&version, std::move(*call)});
  }
  return out;
}

// Returns the call in the words of each version of its operator and of the sibling.
std::vector<VersionCall> written_calls(const Request& request) {
  std::vector<VersionCall> out;
  const std::vector<NamedText> defaults = own_defaults(request);
  for (const Version& version : request.op.op->versions) {
    std::optional<Request> call = call_in(request, version);
    if (!call) continue;
    for (const NamedText& own : defaults) {
      if (find_attribute(version, own.name) != nullptr) call->attributes.push_back(own);
    }
    out.push_back({&version, std::move(*call)});
  }
  std::ranges::move(sibling_calls(request), std::back_inserter(out));
  for (VersionCall& call : out) {
    drop_neutral(call);
    translate_words(*call.version, call.request);
  }
  return out;
}

// Whether the version has the attributes of the call, and their words.
bool has_words(const VersionCall& call) {
  return std::ranges::all_of(call.request.attributes, [&](const NamedText& given) {
    const AttributeSpec* const spec = find_attribute(*call.request.op.op, given.name);
    if (spec == nullptr || find_attribute(*call.version, given.name) == nullptr) return false;
    const std::vector<std::string> words = allowed_words(*spec, *call.version);
    return words.empty() || std::ranges::count(words, lower(given.text)) != 0;
  });
}

std::string row_of(const VersionCall& call, const std::vector<VersionCall>& all) {
  const Version& version = *call.version;
  std::string out = version.framework == Framework::standard ? "default" : spec_name(version);
  const auto is_beside = [&](const VersionCall& other) {
    return other.version->framework == version.framework && other.version->since == version.since &&
           other.version->published != version.published;
  };
  if (std::ranges::any_of(all, is_beside)) out += cat(":", version.published);
  if (call.mode.empty()) return out;
  return cat(out, " ", policy_attribute(*call.request.op.op, version)->name, "=", call.mode);
}

// Returns the equivalent call of another operator in StableHLO, if there is one, in each of its versions.
std::vector<VersionCall> stablehlo_calls(const Request& request, const Settings& settings) {
  std::vector<VersionCall> out;
  Request plain = request;
  plain.spec.reset();
  translate_words(plain.op.op->versions.front(), plain);
  try {
    const Bound bound = bind(plain, settings);
    const Request written = as_stablehlo(bound.call, bound.planned);
    for (const Version& version : written.op.op->versions) {
      if (version.framework != Framework::stablehlo) continue;
      out.push_back({.version = &version, .request = written, .row = spec_name(version)});
      out.back().request.spec = out.back().row;
    }
  } catch (const Error&) {  // the default semantics refuse the call, or StableHLO cannot say it
  }
  return out;
}

// Returns a call with index arrays by the operator's first name, with index tuples: other versions take
// these.
Request with_tuples(Request request, const Settings& settings) {
  if (!request.op.name->takes_arrays) return request;
  // The operands alone: each version has its own attributes and --spec.
  Request operands = request;
  operands.attributes.clear();
  operands.spec.reset();
  OpenedCall opened = open_call(operands, settings, AttributeChecks::each);
  Call tuples = opened.call;
  with_context(request.op.name->name,
               [&] { resolve_indices(opened.given, RangeForm::indices, settings, opened.inputs, tuples); });
  use_opened(request, opened);
  request.positional.clear();
  request.named.clear();
  for (std::size_t i = 0; i < tuples.operands.size(); ++i)
    request.named.push_back({tuples.operand_name(i), tuples.operands[i]});
  rename(request, tuples.op->names.front());
  return request;
}

// Returns the message without the name of the call and the rule, which have columns of their own.
std::string own_text(const Error& error, const OperatorName& called) {
  std::string text = error.what();
  const std::string rule = cat(" [", error.rule(), "]");
  if (text.ends_with(rule)) text.resize(text.size() - rule.size());
  const std::string context = cat(called.name, ": ");
  return text.starts_with(context) ? text.substr(context.size()) : text;
}

VersionVerdict verdict_on(const VersionCall& call, const Settings& settings, const VersionRun& run) {
  const Version& version = *call.version;
  const bool is_standard = version.framework == Framework::standard;
  VersionVerdict out{.op = call.request.op.op,
                     .version = &version,
                     .name = call.request.op.name,
                     .spec = is_standard ? "default" : spec_name(version),
                     .mode = call.mode,
                     .row = call.row};
  try {
    const Bound bound = bind(call.request, settings);
    with_context(bound.call.name->name, [&] {
      try {
        const OpenCount open = run(bound, out);
        if (open.count == 0) return;
        const Shape& shape = bound.planned.output.shape;
        out.verdict = Verdict::open;
        out.message = cat(open.count, " of ", counted(count(shape), "element"), ", the first at ",
                          element_name("", open.first, shape), ": ",
                          reason_text(bound.planned.plan.facts().open_reason));
      } catch (const PlanFault& fault) {
        out.element = faulty_element(fault, bound.call, bound.planned);
        throw fault_error(fault, bound.call, bound.planned);
      }
    });
  } catch (const Error& error) {
    // NumPy and JAX have no words for reductions: each is a function of its own.
    const bool is_library = version.framework == Framework::numpy || version.framework == Framework::jax;
    out.verdict = error.rule() == kMissingRule ? Verdict::missing
                  : error.rule() == kCallRule || (error.rule() == "SE-6" && is_library)
                      ? Verdict::no_equivalent
                  : leaves_open(version, error.rule()) ? Verdict::open
                                                       : Verdict::refused;
    out.message = own_text(error, *out.name);
    out.error = error;
  }
  return out;
}

}  // namespace

std::vector<VersionCall> calls_under(const Request& given, const std::vector<Framework>& publishers,
                                     const Settings& settings) {
  const Request request = with_tuples(given, settings);
  std::vector<VersionCall> out;
  const auto is_wanted = [&](Framework publisher) {
    return publishers.empty() || std::ranges::count(publishers, publisher) != 0;
  };
  for (const VersionCall& call : written_calls(request)) {
    if (is_wanted(call.version->framework)) std::ranges::move(in_each_mode(call), std::back_inserter(out));
  }
  for (VersionCall& call : out) call.row = row_of(call, out);
  if (is_wanted(Framework::stablehlo))
    std::ranges::move(stablehlo_calls(request, settings), std::back_inserter(out));
  return out;
}

Request call_under(const Request& request, const std::string& spec) {
  if (request.spec == spec) return request;
  const Spec wanted = parse_spec(spec);
  std::vector<VersionCall> calls = written_calls(request);
  std::erase_if(calls, [&](const VersionCall& call) {
    return call.version->framework != wanted.framework || call.version->since > wanted.version;
  });
  const auto newest = std::ranges::max_element(
      calls, {}, [](const VersionCall& call) { return std::pair(has_words(call), call.version->since); });
  Request out = newest == calls.end() ? request : newest->request;
  out.spec = spec;
  return out;
}

std::string written_defaults(const Request& request) {
  std::vector<std::string> out;
  for (const NamedText& given : own_defaults(request)) out.push_back(cat(given.name, " ", given.text));
  return join(out);
}

std::vector<VersionVerdict> verdicts_on(const Request& request, const std::vector<Framework>& publishers,
                                        const Settings& settings, const VersionRun& run) {
  std::vector<VersionVerdict> out;
  Settings own = settings;
  own.names_versions = false;
  for (const VersionCall& call : calls_under(request, publishers, own))
    out.push_back(verdict_on(call, own, run));
  return out;
}

}  // namespace tensorop
