#include "explain/portability.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/hash.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/execute.hpp"
#include "engine/version.hpp"
#include "explain/verdicts.hpp"
#include "kernels/measures/difference.hpp"
#include "kernels/schedules/open_elements.hpp"
#include "ops/index_policy.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kAll = "all";
constexpr std::string_view kDefault = "default";

// Returns numbers that are equal for equal elements, including NaN, and rarely equal for others.
template <class T>
std::uint64_t element_key(T value) {
  if constexpr (std::is_same_v<T, StringRef>) {
    return hash_of(value.view());
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

// Returns the first element that is not equal or, if there is none, the first whose bits differ.
std::optional<std::int64_t> first_differing(const Tensor& a, const Tensor& b) {
  std::int64_t first = compare_elements(a, b, 0, a.size(), {}).first;
  ElementTolerance bits;
  bits.exact_bits = true;
  if (first < 0) first = compare_elements(a, b, 0, a.size(), bits).first;
  return first < 0 ? std::nullopt : std::optional(first);
}

// Copies the element; keeps nothing else of the tensor except strings.
Tensor element_of(const Tensor& tensor, std::int64_t position) {
  const std::int64_t width = element_size(tensor.dtype());
  const auto storage = std::make_shared<Storage>(width);
  std::memcpy(storage->data(), tensor.data() + position * width, static_cast<std::size_t>(width));
  storage->arenas = tensor.arenas();
  return {tensor.dtype(), {}, storage};
}

// Opens the call without attributes and words that only single versions have, to read its operands.
OpenedCall open_for_all(Request request, const Settings& settings) {
  const Operator& op = *request.op.op;
  request.spec.reset();
  std::erase_if(request.attributes, [&](const NamedText& given) {
    const AttributeSpec* spec = find_attribute(op, given.name);
    return spec != nullptr && find_attribute(op.versions.front(), given.name) == nullptr;
  });
  translate_words(op.versions.front(), request);
  // Attributes that exclude each other in the default semantics may be allowed together in a version.
  return open_call(request, settings, AttributeChecks::each);
}

// Returns a key that is equal for versions that compute the same from the same operands.
std::string behaviour_of(const Bound& bound) {
  const Call& call = bound.call;
  const IndexPolicy policy = index_policy(call);
  const RowMoves* const moves = bound.planned.plan.moves();
  const auto rounding = moves == nullptr ? std::nullopt : moves->rounding;
  std::string key =
      cat(call.op->name, " ", static_cast<int>(policy.negative), " ", static_cast<int>(policy.out_of_bounds),
          " ", static_cast<int>(bound.planned.plan.facts().open_reason), " ",
          rounding ? static_cast<int>(*rounding) : -1, " ", name(bound.planned.output.dtype),
          to_string(bound.planned.output.shape));
  std::set<std::string_view> traits;
  for (const Trait* const trait : call.version->rules.traits) traits.insert(trait->meaning);
  for (const std::string_view trait : traits) key += cat(" ", trait);
  const Attribute* const scheme = call.find("auto_broadcast");
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    const Attribute& attribute = call.attributes[i];
    if (spec.name == "consumed_inputs" || is_policy(spec)) continue;  // no effect, or part of the policy
    // A version with `broadcast` but without auto_broadcast uses the old rule.
    if (spec.name == "broadcast" && scheme != nullptr) {
      if (!attribute.in_version || (scheme->in_version && !attribute.is_given)) continue;
    }
    key += cat(" ", spec.name, "=");
    if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) key += cat(*integer);
    if (const auto* flag = std::get_if<bool>(&attribute.value)) key += *flag ? "1" : "0";
    if (const auto* list = std::get_if<Shape>(&attribute.value)) key += to_string(*list);
    if (const auto* element = std::get_if<ElementValue>(&attribute.value)) key += element->text;
    if (const auto* word = std::get_if<ChosenWord>(&attribute.value))
      key += cat(spec.choices[word->at].value);
  }
  return key;
}

class Judge {
 public:
  Judge(Request shared, OpenedCall opened, const Settings& settings)
      : shared_(std::move(shared)), settings_(settings) {
    settings_.warn = nullptr;
    out_.dry_run = shared_.dry_run;
    use_opened(shared_, opened);
    out_.opened = std::move(opened);
  }

  Portability judge(const std::vector<Framework>& publishers) {
    out_.written = written_defaults(shared_);
    out_.versions =
        verdicts_on(shared_, publishers, settings_, [&](const Bound& bound, VersionVerdict& verdict) {
          const Behaviour& behaviour = behaviour_for(bound);
          if (behaviour.fault) throw PlanFault(*behaviour.fault);
          verdict.result = behaviour.result;
          return behaviour.open;
        });
    return std::move(out_);
  }

 private:
  struct Behaviour {
    std::optional<PlanFault> fault = {};
    std::optional<std::size_t> result = {};
    OpenCount open = {};
  };

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
      Execution execution(bound.planned, bound.inputs, settings_);
      const Tensor result = execution.evaluate({});
      out.open = count_marked(open_marker(execution.prepared()), result.size(), settings_.threads);
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
    if (is_comparable) added.differs_at = first_differing(*first_, *result);
    if (added.differs_at) {
      added.first_value = element_of(*first_, *added.differs_at);
      added.own_value = element_of(*result, *added.differs_at);
    }
    out_.classes.push_back(std::move(added));
    return out_.classes.size() - 1;
  }

  Request shared_;
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
  return classes.empty() ? 2 : 1;
}

bool names_several(std::string_view spec) {
  const std::string word = lower(spec);
  const Publisher* const publisher = find_publisher(word);
  return word == kAll || (publisher != nullptr && publisher->numbering != Numbering::none);
}

std::vector<Framework> publishers_of(const std::string& spec) {
  return lower(spec) == kAll ? std::vector<Framework>() : read_publishers(spec);
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
  if (request.oob) {
    with_context(request.op.name->name,
                 [] { throw Error("oob cannot be combined with a specification", kCallRule); });
  }
  if (has_mask(request)) {
    with_context(request.op.name->name,
                 [] { throw Error("mask cannot be combined with a specification", kCallRule); });
  }
  const std::vector<Framework> wanted = only.empty() ? publishers_of(*request.spec) : only;
  Portability out = Judge(request, open_for_all(request, settings), settings).judge(wanted);
  if (out.versions.empty()) {
    std::vector<std::string> names;
    names.reserve(wanted.size());
    for (const Framework framework : wanted) names.emplace_back(framework_name(framework));
    throw Error(cat(request.op.name->name, ": ", join(names, " and "), " has no version of the operator"),
                "T-0", cat("it is in ", all_versions(*request.op.op)));
  }
  return out;
}

}  // namespace tensorop
