#include "engine/portability.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/execute.hpp"
#include "engine/mask.hpp"
#include "engine/version.hpp"
#include "io/json/json_writer.hpp"
#include "kernels/open_elements.hpp"
#include "ops/fault_text.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kAll = "all";
constexpr std::string_view kDefault = "default";

// Numbers that are equal for equal elements, NaN among them, and hardly ever for others.
template <class T>
std::uint64_t element_key(T value) {
  if constexpr (std::is_same_v<T, StringRef>) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : value.view()) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return hash;
  } else if constexpr (std::is_same_v<T, Bool>) {
    return value.byte != 0 ? 1 : 0;
  } else if constexpr (Complex<T>) {
    return element_key(value.real()) * 1099511628211U + element_key(value.imag());
  } else {
    bool is_nan = false;
    if constexpr (Half<T>) is_nan = (value.bits & 0x7FFF) > HalfTraits<T>::kInfinity;
    if constexpr (Floating<T>) is_nan = value != value;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return is_nan ? ~std::uint64_t{0} : bits;
  }
}

std::uint64_t checksum(const Tensor& tensor) {
  return dispatch(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    std::uint64_t hash = 1;
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      hash = (hash ^ element_key<T>(tensor.as<T>()[i])) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29;
    }
    return hash;
  });
}

// The first position at which two tensors of one dtype and shape differ.
std::optional<std::int64_t> first_difference(const Tensor& a, const Tensor& b) {
  return dispatch(a.dtype(), [&]<class T>(TypeTag<T>) -> std::optional<std::int64_t> {
    for (std::int64_t i = 0; i < a.size(); ++i) {
      if (element_key<T>(a.as<T>()[i]) != element_key<T>(b.as<T>()[i])) return i;
    }
    return std::nullopt;
  });
}

// What the call is in all versions: its operands, read once, and its attributes as text.
struct Template {
  Request request;
  OpenedCall opened;
};

Template open_template(const Request& request, const Settings& settings) {
  Template out{request, {}};
  const Operator& op = *request.op.op;
  const Version& standard = op.versions.front();
  Request reading = request;
  reading.spec.reset();
  std::erase_if(reading.attributes, [&](const NamedText& given) {
    const AttributeSpec* spec = find_attribute(op, given.name);
    return spec != nullptr && find_attribute(standard, given.name) == nullptr;
  });
  out.opened = open_call(reading, settings);
  Request& shared = out.request;
  shared.named.clear();
  shared.positional.clear();
  shared.reshapes.clear();
  shared.dtype.reset();
  for (std::size_t i = 0; i < out.opened.call.operands.size(); ++i) {
    if (out.opened.call.left_out == i) continue;
    const Tensor& operand = out.opened.call.operands[i];
    if (op.operands.back().variadic) {
      shared.positional.emplace_back(operand);
    } else {
      shared.named.push_back({std::string(op.operands[i].name), operand});
    }
  }
  // Lists may be files, or standard input.
  for (NamedText& given : shared.attributes) {
    const AttributeSpec* spec = find_attribute(op, given.name);
    if (spec == nullptr || spec->kind != AttributeKind::integers) continue;
    const auto& value = out.opened.call.attributes[to_size(spec - op.attributes.data())].value;
    if (const auto* list = std::get_if<Shape>(&value)) {
      std::vector<std::string> numbers;
      for (const std::int64_t number : *list) numbers.push_back(cat(number));
      given = {given.name, list->empty() ? "[]" : join(numbers, ",")};
    }
  }
  return out;
}

// The call as it is written for the version: without attributes that it lacks and that say what it does
// anyway.
Request request_for(const Request& shared, const OperatorName& name, const Version& version) {
  Request out = shared;
  rename(out, name);
  out.spec.reset();
  if (version.framework != Framework::standard) out.spec = spec_name(version);
  std::erase_if(out.attributes, [&](const NamedText& given) {
    const AttributeSpec* spec = find_attribute(*out.op.op, given.name);
    if (spec == nullptr || find_attribute(version, given.name) != nullptr) return false;
    const bool is_preset = name.preset.attribute == given.name && name.preset.text == lower(given.text);
    return is_preset || lower(given.text) == spec->default_text;
  });
  return out;
}

// What makes two versions do the same with the same operands.
std::string behaviour_of(const Bound& bound) {
  const Call& call = bound.call;
  const Version& version = *call.version;
  std::string key =
      cat(static_cast<int>(version.index.negative), " ", static_cast<int>(version.index.out_of_bounds), " ",
          version.traits, " ", static_cast<int>(bound.planned.plan->facts().open_reason), " ",
          name(bound.planned.output.dtype), to_string(bound.planned.output.shape));
  const AttributeSpec* scheme = find_attribute(*call.op, "auto_broadcast");
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    const Attribute& attribute = call.attributes[i];
    if (spec.name == "consumed_inputs") continue;  // means nothing
    // Without auto_broadcast a version that has `broadcast` is of the old kind.
    if (spec.name == "broadcast" && scheme != nullptr) {
      const bool is_new = call.attributes[to_size(scheme - call.op->attributes.data())].in_version;
      if (!attribute.in_version || (is_new && !attribute.is_given)) continue;
    }
    key += cat(" ", spec.name, "=");
    if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) key += cat(*integer);
    if (const auto* flag = std::get_if<bool>(&attribute.value)) key += *flag ? "1" : "0";
    if (const auto* list = std::get_if<Shape>(&attribute.value)) key += to_string(*list);
    if (const auto* word = std::get_if<ChosenWord>(&attribute.value))
      key += cat(spec.choices[word->at].value);
  }
  return key;
}

// A refusal without what is of one version: "indices[0] = -1 is negative".
std::string brief_of(std::string message, const Call* call) {
  for (const std::string_view end : {", which ", "; ", " for axis ", " (allowed", " (size"})
    message = message.substr(0, message.find(end));
  if (call == nullptr) return message;
  const std::string version = cat(call->version_name(), " ");
  if (const std::size_t at = message.find(version); at != std::string::npos)
    message.erase(at, version.size());
  return message;
}

class Judge {
 public:
  Judge(Template shared, const Settings& settings) : shared_(std::move(shared)), settings_(settings) {
    settings_.warn = nullptr;
    out_.dry_run = shared_.request.dry_run;
  }

  void add(const Version& version) {
    const OperatorName* name = name_in(shared_.request, version);
    if (name == nullptr) return;
    const bool is_standard = version.framework == Framework::standard;
    VersionVerdict verdict{&version, name, is_standard ? std::string(kDefault) : spec_name(version)};
    try {
      const Bound bound = bind(request_for(shared_.request, *name, version), settings_);
      const Behaviour& behaviour = behaviour_for(bound);
      if (behaviour.fault)
        refuse(fault_error(*behaviour.fault, bound.call, bound.planned), &bound.call, verdict);
      verdict.result = behaviour.result;
      if (behaviour.open.count != 0) {
        verdict.verdict = Verdict::open;
        verdict.message =
            cat(behaviour.open.count, " of ", counted(count(bound.planned.output.shape), "element"),
                ", the first at ", element_name("", behaviour.open.first, bound.planned.output.shape), ": ",
                reason_text(bound.planned.plan->facts().open_reason));
        verdict.brief = verdict.message;
      }
    } catch (const Error& error) {
      refuse(error, nullptr, verdict);
    }
    out_.versions.push_back(std::move(verdict));
  }

  Portability result() {
    out_.opened = std::move(shared_.opened);
    return std::move(out_);
  }

 private:
  struct Behaviour {
    std::optional<PlanFault> fault = {};
    std::optional<std::size_t> result = {};
    OpenCount open = {};
  };

  void refuse(const Error& error, const Call* call, VersionVerdict& verdict) const {
    std::string message = error.what();
    const std::string context = cat(": ");
    for (const OperatorName& name : shared_.request.op.op->names) {
      if (message.starts_with(cat(name.name, context))) message.erase(0, name.name.size() + context.size());
    }
    if (const std::string end = cat(" [", error.rule(), "]"); message.ends_with(end))
      message.resize(message.size() - end.size());
    const bool is_open = error.rule() == "IX-1" && verdict.version->index.is_open;
    verdict.verdict = is_open ? Verdict::open : Verdict::refused;
    verdict.rule = error.rule();
    verdict.brief = brief_of(message, call);
    const std::string published =
        cat(framework_name(verdict.version->framework), " ", published_name(*verdict.version), " ");
    if (const std::size_t at = verdict.brief.find(published); at != std::string::npos)
      verdict.brief.erase(at, published.size());
    verdict.message = std::move(message);
  }

  const Behaviour& behaviour_for(const Bound& bound) {
    const auto [place, is_new] = behaviours_.try_emplace(behaviour_of(bound));
    if (is_new) run(bound, place->second);
    return place->second;
  }

  void run(const Bound& bound, Behaviour& out) {
    if (out_.dry_run) {
      out.result = class_of(bound.planned.output, std::nullopt);
      return;
    }
    try {
      const Tensor result = execute(bound.planned, bound.inputs, settings_, {});
      out.open = count_open(*bound.planned.plan, result.size(), settings_.threads);
      out.result = class_of(bound.planned.output, result);
    } catch (const PlanFault& fault) {
      out.fault = fault;
    }
  }

  std::size_t class_of(const OutputInfo& output, const std::optional<Tensor>& result) {
    const std::uint64_t sum = result ? checksum(*result) : 0;
    for (std::size_t i = 0; i < out_.classes.size(); ++i) {
      const ResultClass& known = out_.classes[i];
      const bool has_header = known.output.dtype == output.dtype && known.output.shape == output.shape;
      if (has_header && known.checksum == sum) return i;
    }
    ResultClass added{output, sum};
    if (result && result->size() <= ResultClass::kMostKept) added.elements = *result;
    if (out_.classes.empty()) first_ = result;
    const bool is_comparable =
        !out_.classes.empty() && result && first_->dtype() == output.dtype && first_->shape() == output.shape;
    if (is_comparable) added.differs_at = first_difference(*first_, *result);
    if (added.differs_at) {
      added.first_value = json_element(*first_, *added.differs_at);
      added.own_value = json_element(*result, *added.differs_at);
    }
    out_.classes.push_back(std::move(added));
    return out_.classes.size() - 1;
  }

  Template shared_;
  Settings settings_;
  Portability out_;
  std::map<std::string, Behaviour> behaviours_;
  std::optional<Tensor> first_;  // the result of the first class
};

}  // namespace

bool Portability::is_portable() const {
  return classes.size() == 1 && std::ranges::all_of(versions, [](const VersionVerdict& verdict) {
           return verdict.verdict == Verdict::accepted;
         });
}

int Portability::exit_status() const {
  if (is_portable()) return 0;
  const auto refused = std::ranges::count(versions, Verdict::refused, &VersionVerdict::verdict);
  return refused == std::ssize(versions) ? 2 : 1;
}

bool names_several(std::string_view spec) {
  const std::string word = lower(spec);
  const Publisher* const publisher = find_publisher(word);
  return word == kAll || (publisher != nullptr && publisher->numbering != Numbering::none);
}

std::vector<Framework> read_publishers(const std::string& list) {
  std::vector<Framework> out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string word = lower(list.substr(at, comma - at));
    at = comma + 1;
    const Publisher* const publisher = find_publisher(word);
    if (publisher == nullptr && word != kDefault) {
      std::vector<std::string> words = {std::string(kDefault)};
      for (const Publisher& known : kPublishers) words.emplace_back(known.name);
      throw Error(cat("publisher ", in_quotes(word), " is not one of ", join(words)));
    }
    out.push_back(word == kDefault ? Framework::standard : publisher->framework);
  }
  return out;
}

Portability find_portability(const Request& request, const std::vector<Framework>& only,
                             const Settings& settings) {
  const Operator& op = *request.op.op;
  if (request.oob) {
    with_context(request.op.name->name,
                 [] { throw Error("oob cannot be combined with a specification", kCallRule); });
  }
  if (has_mask(request)) {
    with_context(request.op.name->name,
                 [] { throw Error("mask cannot be combined with a specification", kCallRule); });
  }
  std::vector<Framework> wanted = only;
  if (lower(*request.spec) != kAll) wanted = read_publishers(*request.spec);
  Judge judge(open_template(request, settings), settings);
  for (const Version& version : op.versions) {
    if (wanted.empty() || std::ranges::find(wanted, version.framework) != wanted.end()) judge.add(version);
  }
  Portability out = judge.result();
  if (out.versions.empty()) {
    std::vector<std::string> names;
    for (const Framework framework : wanted) names.emplace_back(framework_name(framework));
    const auto is_any = [](const Version& /*version*/) { return true; };
    throw Error(cat(request.op.name->name, ": ", join(names, " and "), " has no version of the operator"),
                "T-0", cat("it is in ", versions_where(op, is_any)));
  }
  return out;
}

}  // namespace tensorop
