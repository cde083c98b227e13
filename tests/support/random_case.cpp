#include "support/random_case.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "engine/bind.hpp"
#include "engine/version.hpp"
#include "generate/generator.hpp"
#include "support/random_changes.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::Arguments;

// The operator under a name, the version, and what the reference knows of it; no operands yet.
RandomCase call_of_version(Random& random, const std::string& op) {
  RandomCase call = {{}, {op, {}, {}, "error", reference::default_rules(op)}};
  call.request.op = require_operator(op);
  std::vector<const reference::PublishedVersion*> rows;
  for (const auto& row : reference::published_versions()) {
    if (row.op == op) rows.push_back(&row);
  }
  if (rows.empty() || random.chance(60)) return call;
  const reference::PublishedVersion& row = *random.pick(rows);
  // Our name means the same version, but where the publisher has operators of both names.
  const bool is_library = row.framework == "torch" || row.framework == "numpy" || row.framework == "jax" ||
                          row.framework == "tensorflow";
  // These calls have index tuples.
  const bool takes_arrays =
      row.typed == "at" || row.typed == "atget" || row.typed == "indexput" || row.typed == "ufuncat";
  const bool own_name = row.typed == "scatter" || row.typed == "select" || row.op == "bitshift" ||
                        (is_library && !takes_arrays);
  const Publisher& publisher = *find_publisher(row.framework);
  if (own_name || (!takes_arrays && random.chance(50)))
    call.request.op = require_operator(row.typed, row.framework);
  call.request.spec = spec_name(publisher.framework, static_cast<int>(random.between(row.since, row.until)));
  call.arguments.rules = row.rules;
  call.arguments.framework = row.framework;
  return call;
}

// Values that valid calls of the version have, which makers offer beside others, in a share of the calls.
std::vector<Coverage::Level> wanted_values(Random& random, const Arguments& arguments, Coverage& coverage) {
  using Words = std::vector<std::string>;
  const reference::Rules& rules = arguments.rules;
  std::vector<Coverage::Level> wanted;
  const auto want = [&](int percent, std::string_view parameter, const Words& values) {
    if (random.chance(percent))
      wanted.push_back(coverage.level(parameter, random.pick(values), Coverage::Kind::other));
  };
  want(70, "sizes", {"2 and more"});
  want(50, "oob", {"error"});
  want(40, "reduction", {"none"});
  want(70, "duplicates", {"not given", "error"});
  want(70, "broadcast_updates", {"false"});
  want(rules.negative_indices ? 40 : 0, "indices", {"negative"});
  want(rules.vector_index ? 80 : 0, "rank of indices", {"1"});
  want(rules.equal_off_axis || rules.off_axis ? 80 : 0, "indices beside the axis", {"equal"});
  want(arguments.op == "tensorscatter" ? 85 : 0, "axis", {"middle", "last", "negative"});
  want(rules.negative_batch_dims ? 0 : 85, "batch_dims", {"0", "1", "all"});
  want(rules.broadcast_batch_dims ? 40 : 90, "batch sizes", {"equal"});
  want(rules.empty_tuples ? 0 : 90, "k", {"1", "rank"});
  if (rules.schemes.empty()) return wanted;
  const std::string scheme = random.pick(rules.schemes);
  const bool is_legacy = scheme == "legacy";
  want(is_legacy ? 90 : 0, "broadcast", {"1"});
  want(is_legacy ? 0 : 90, "broadcast", {"not given"});
  want(is_legacy ? 0 : 90, "auto_broadcast", {scheme});
  want(is_legacy || scheme == "none" ? 90 : 20, "shapes", {"equal"});
  if (arguments.op == "prelu")
    want(90, "shapes",
         {"equal", "channels", "1 in operand 2", "fewer dimensions in operand 2", "rank 0 in operand 2"});
  return wanted;
}

// The call as the reference takes it, whose rules are known already.
void set_arguments(const Request& request, Arguments& arguments) {
  arguments.operands.clear();
  arguments.attributes.clear();
  arguments.left_out = false;
  for (const NamedText& attribute : request.attributes) arguments.attributes[attribute.name] = attribute.text;
  for (const OperandSpec& spec : request.op.op->operands) {
    const auto given = std::ranges::find(request.named, spec.name, &NamedText::name);
    if (request.op.name->makes_data && arguments.operands.empty()) {
      const Shape shape = reference::numbers(arguments, "shape");
      const bool is_shape = std::ranges::none_of(shape, [](std::int64_t dim) { return dim < 0; });
      arguments.operands.push_back(
          reference::Array(request.named.back().as<Tensor>()->dtype(), is_shape ? shape : Shape()).tensor());
    }
    if (given != request.named.end()) arguments.operands.push_back(*given->as<Tensor>());
    if (given != request.named.end() || !spec.optional) continue;
    arguments.left_out = true;
    arguments.operands.emplace_back(DType::int64, Shape{0});
  }
  for (const Operand& operand : request.positional) arguments.operands.push_back(*operand.as<Tensor>());
  arguments.oob = request.oob.value_or("error");
  arguments.duplicates = request.duplicates.value_or("last");
}

void set_request(const Arguments& arguments, Request& request) {
  request.named.clear();
  request.positional.clear();
  request.attributes.clear();
  const auto& specs = request.op.op->operands;
  for (std::size_t i = 0; i < arguments.operands.size(); ++i) {
    if ((arguments.left_out && i == 1) || (request.op.name->makes_data && i == 0)) continue;
    if (specs.back().variadic) {
      request.positional.emplace_back(arguments.operands[i]);
    } else {
      request.named.push_back({std::string(specs[i].name), arguments.operands[i]});
    }
  }
  for (const auto& [name, text] : arguments.attributes) request.attributes.push_back({name, text});
  request.oob = arguments.oob == "error" ? std::nullopt : std::optional(arguments.oob);
  request.duplicates = arguments.duplicates == "last" ? std::nullopt : std::optional(arguments.duplicates);
}

// Whether the reference has rules for the attribute as it is given: what the command line alone refuses has
// tests of its own.
bool is_in_reference(const NamedText& given, const Operator& op, const Version& version) {
  if (find_attribute(version, given.name) == nullptr) return false;
  const AttributeSpec& spec = *find_attribute(op, given.name);
  const auto is_one_of = [&](const std::vector<std::string>& words) {
    return std::ranges::count(words, given.text) != 0;
  };
  const auto is_small = [](std::int64_t number) { return -100 < number && number < 100; };
  switch (spec.kind) {
    case AttributeKind::integer:
      return true;
    case AttributeKind::boolean:
    case AttributeKind::flag:
      return is_one_of({"false", "true"});
    case AttributeKind::choice:
      return is_one_of(allowed_words(spec, version));
    case AttributeKind::integers:
      return given.text == "[]" ||
             (is_plain_list(given.text) && std::ranges::all_of(*parse_list(given.text), is_small));
    default:
      return false;
  }
}

bool is_in_reference(const Request& changed, const Request& before, const Version& version) {
  constexpr std::int64_t kHighRank = 8;
  const auto is_high = [](const Operand& operand) { return operand.as<Tensor>()->rank() > kHighRank; };
  const auto is_given = [&](const AttributeRow& row) {
    const auto& given = changed.attributes;
    return std::ranges::find(given, row.name, &NamedText::name) != given.end();
  };
  return changed.spec == before.spec && changed.named.size() == before.named.size() &&
         changed.positional.size() == before.positional.size() &&
         std::ranges::none_of(changed.named, is_high) && std::ranges::none_of(changed.positional, is_high) &&
         std::ranges::all_of(
             changed.attributes,
             [&](const NamedText& given) { return is_in_reference(given, *changed.op.op, version); }) &&
         std::ranges::all_of(version.attributes, [&](const AttributeRow& row) {
           return !find_attribute(*changed.op.op, row.name)->required || is_given(row);
         });
}

// One thing of the call changed as the generator makes calls invalid.
Request changed_in_reference(Random& random, const Subject& subject, const Request& request) {
  constexpr int kAttempts = 20;
  for (int i = 0; i < kAttempts; ++i) {
    Request changed = changed_call(subject, random, request);
    if (is_in_reference(changed, request, *subject.version)) return changed;
  }
  return request;
}

// The size of the largest operand or result.
std::int64_t largest_size(const RandomCase& call) {
  std::int64_t most = 0;
  for (const Tensor& operand : call.arguments.operands) most = std::max(most, operand.size());
  static const Settings settings = {.memory = std::int64_t{1} << 30};
  try {
    return std::max(most, count(bind(call.request, settings).planned.output.shape));
  } catch (const Error&) {
    return most;
  }
}

}  // namespace

RandomCase random_call(Random& random, const std::string& op, std::int64_t elements) {
  constexpr std::int64_t kMostElements = 700;  // of a small call: the reference is slow
  while (true) {
    RandomCase call = call_of_version(random, op);
    Request& request = call.request;
    Subject subject;
    subject.op = request.op;
    subject.spec = request.spec;
    subject.version = &find_version(request.op, request.spec);
    subject.max_rank = 6;
    // A small one has longer dimensions now and then.
    subject.min_elements = elements != 0 ? elements : random.chance(15) ? random.between(10, 200) : 0;
    const std::int64_t most = elements == 0 ? kMostElements : 3 * elements;
    subject.max_elements = most;
    Coverage coverage;
    Drawing drawing(subject, random, coverage, wanted_values(random, call.arguments, coverage));
    if (!draw_call(drawing)) continue;
    set_arguments(drawing.request, call.arguments);
    vary_call(random, call.arguments);
    set_request(call.arguments, request);
    const std::int64_t size = largest_size(call);
    if (size < elements || size > most) continue;
    const bool has_lists = request.op.op->family == "slices" || request.op.op->family == "broadcast";
    if (!random.chance(has_lists ? 25 : 15)) return call;
    RandomCase changed = call;
    changed.request = changed_in_reference(random, subject, request);
    set_arguments(changed.request, changed.arguments);
    // The order of checks does not say which of IX-3 and T-3 comes first.
    const bool has_other_indices =
        changed.arguments.operands.size() == 3 && call.arguments.operands.size() == 3 &&
        changed.arguments.operands[1].dtype() != call.arguments.operands[1].dtype();
    const bool is_clear = !has_other_indices || !call.arguments.attributes.contains("reduction");
    return is_clear && largest_size(changed) <= most ? changed : call;
  }
}

Shape random_shape(Random& random, std::int64_t rank, std::int64_t elements) {
  Shape shape;
  for (std::int64_t d = 0; d < rank; ++d) shape.push_back(random.chance(3) ? 0 : random.between(1, 4));
  return grown(random, std::move(shape), elements);
}

}  // namespace tensorop
