// Valid calls made invalid. Which rule a change breaks is found out by running the call.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "generate/generator.hpp"
#include "generate/values.hpp"
#include "generate/weights.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kUnknownWord = "other";
constexpr std::string_view kIndices = "indices";

// All operands that are given, in order.
std::vector<Operand*> operands_of(Request& request) {
  std::vector<Operand*> out;
  for (NamedText& operand : request.named) out.push_back(&operand);
  for (Operand& operand : request.positional) out.push_back(&operand);
  return out;
}

Tensor tensor_of(Random& random, DType dtype, const Shape& shape) {
  if (kIntegerTypes.contains(dtype)) return integer_tensor(dtype, shape, [](std::int64_t) { return 0; });
  return random_tensor(random, dtype, shape, ValueKind::small);
}

void change_shape(Random& random, Operand& operand) {
  Shape shape = operand.as<Tensor>()->shape();
  switch (random.between(0, 4)) {
    case 0:
      shape = {};
      break;
    case 1:
      shape.insert(shape.begin(), 1);
      break;
    case 2:
      if (!shape.empty()) shape.erase(shape.begin());
      break;
    case 3:
      if (!shape.empty()) shape.back() = random.between(0, shape.back());
      break;
    default:
      shape = spoiled(random, shape);
  }
  operand.set(tensor_of(random, operand.as<Tensor>()->dtype(), shape));
}

// Changes the dtype of one operand, or of all operands that have that dtype.
void change_dtype(Random& random, const std::vector<Operand*>& operands) {
  const DType from = random.pick(operands)->as<Tensor>()->dtype();
  const DType to = random_dtype(random, kAllTypes);
  const bool all = random.chance(50);
  for (Operand* operand : operands) {
    if (operand->as<Tensor>()->dtype() != from) continue;
    operand->set(tensor_of(random, to, operand->as<Tensor>()->shape()));
    if (!all) return;
  }
}

// Changes one element of the indices, or of any operand if the call has no indices.
void change_integer(Random& random, Request& request) {
  const auto indices = std::ranges::find(request.named, kIndices, &NamedText::name);
  const bool has_arrays = request.op.name->takes_arrays && request.positional.size() > 2;
  Operand& operand = indices != request.named.end() ? *indices
                     : has_arrays                   ? request.positional[1]
                                                    : *random.pick(operands_of(request));
  const Tensor old = *operand.as<Tensor>();
  if (!kIntegerTypes.contains(old.dtype()) || old.size() == 0) return;
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t value =
      random.pick(std::vector<std::int64_t>{0, -1, -7, 7, 100, Limits::min(), Limits::max()});
  const std::int64_t at = random.between(0, old.size() - 1);
  operand.set(integer_tensor(old.dtype(), old.shape(), [&](std::int64_t position) {
    return position == at ? value : integer_at(old, position);
  }));
}

std::string changed_list(Random& random, const std::string& text) {
  Shape list = parse_list(text).value_or(Shape());
  const auto any = [&]() -> std::int64_t& {
    return list[static_cast<std::size_t>(random.between(0, rank(list) - 1))];
  };
  const std::int64_t change = list.empty() ? 0 : random.between(0, 6);
  if (change == 0) list.push_back(random.between(0, 2));
  if (change == 1) any() += 1;
  if (change == 2) any() = -1;
  if (change == 3) std::ranges::reverse(list);
  if (change == 4) list.pop_back();
  if (change == 5) return "[1.5]";
  if (change == 6) list.insert(list.begin(), {std::int64_t{1} << 40, std::int64_t{1} << 40});
  return list_text(list);
}

std::string changed_text(Random& random, const AttributeSpec& spec, const std::string& text) {
  switch (spec.kind) {
    case AttributeKind::integer:
    case AttributeKind::element:
      return cat(random.between(-8, 8));
    case AttributeKind::boolean:
    case AttributeKind::flag:
      return random.chance(50) ? "2" : "true";
    case AttributeKind::choice:
      return random.chance(weights::kUnknownWord) ? std::string(kUnknownWord)
                                                  : random.pick(words_of(spec.choices));
    case AttributeKind::integers:
    case AttributeKind::dimension_numbers:
      return changed_list(random, text);
  }
  __builtin_unreachable();
}

// Another value for any attribute of any version of the operator, or none.
void change_attribute(Random& random, Request& request, const Operator& op) {
  if (op.attributes.empty()) return;
  // Prefers attributes that the call has: most others are unknown to the version.
  const bool is_given = !request.attributes.empty() && random.chance(50);
  const std::int64_t all = is_given ? std::ssize(request.attributes) : std::ssize(op.attributes);
  const auto at = static_cast<std::size_t>(random.between(0, all - 1));
  const AttributeSpec& spec = is_given ? *find_attribute(op, request.attributes[at].name) : op.attributes[at];
  const auto given = std::ranges::find(request.attributes, spec.name, &NamedText::name);
  if (given == request.attributes.end()) {
    request.attributes.push_back({std::string(spec.name), Operand(changed_text(random, spec, ""))});
  } else if (random.chance(weights::kDroppedAttribute)) {
    request.attributes.erase(given);
  } else {
    *given = {given->name, changed_text(random, spec, given->text)};
  }
}

void change_count(Random& random, Request& request) {
  auto& operands = request.named;
  if (operands.empty() || random.chance(weights::kOneMore)) {
    request.positional.emplace_back(integer_tensor(DType::int64, {1}, [](std::int64_t) { return 0; }));
  } else {
    operands.erase(operands.begin() + random.between(0, static_cast<std::int64_t>(operands.size()) - 1));
  }
}

}  // namespace

Request changed_call(const Subject& subject, Random& random, Request request) {
  const auto operands = operands_of(request);
  switch (random.between(0, 12)) {
    case 0:
    case 1:
    case 2:
      change_shape(random, *random.pick(operands));
      break;
    case 3:
    case 4:
      change_dtype(random, operands);
      break;
    case 5:
    case 6:
      change_integer(random, request);
      break;
    case 7:
      change_count(random, request);
      break;
    default:
      change_attribute(random, request, *subject.op.op);
  }
  return request;
}

}  // namespace tensorop
