// broadcast and expand: random calls.
#include <algorithm>

#include "base/text.hpp"
#include "support/random_operators.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::list_text;

DType data_type(Random& random, const RandomCase& call) {
  return random_dtype(random, random.chance(1) ? kAllTypes : call.arguments.rules.types);
}

// A list as the command line takes it: numbers and commas, or JSON (the only way to write a negative one).
std::string any_list(Random& random, const std::vector<std::int64_t>& numbers) {
  const bool negative = std::ranges::any_of(numbers, [](std::int64_t number) { return number < 0; });
  const std::string text = list_text(numbers);
  const bool json = !numbers.empty() && (negative || random.chance(10));
  return json ? cat("[", text, "]") : text;
}

// Data and axes for mode explicit.
void set_explicit(Random& random, RandomCase& call, const Shape& target, Shape& data) {
  std::vector<std::int64_t> axes;
  data.clear();
  for (std::int64_t axis = 0; axis < rank(target); ++axis) {
    if (random.chance(50)) continue;
    axes.push_back(axis);
    data.push_back(random.chance(30) ? 1 : target[static_cast<std::size_t>(axis)]);
  }
  const bool any_order = call.arguments.rules.any_order;
  if (axes.size() > 1 && random.chance(any_order ? 60 : 3)) {
    std::swap(axes.front(), axes.back());
    if (any_order) std::swap(data.front(), data.back());
  }
  if (any_order && random.chance(3) && axes.size() > 1) axes.front() = axes.back();
  if (random.chance(2) && !axes.empty()) axes.back() = rank(target);
  if (random.chance(2) && !axes.empty()) axes.front() = -1;
  if (random.chance(2)) axes.push_back(0);
  call.arguments.attributes["axes_mapping"] = any_list(random, axes);
}

void set_pdpd(Random& random, RandomCase& call, const Shape& target, Shape& data) {
  const std::int64_t length = random.between(0, rank(target));
  const std::int64_t start = random.between(0, rank(target) - length);
  data.assign(target.begin() + start, target.begin() + start + length);
  for (std::int64_t& dim : data) dim = random.chance(25) ? 1 : dim;
  std::int64_t axis = start;
  // Ones at the end are trimmed, even where they reach beyond the target.
  while (rank(data) < rank(target) && random.chance(30)) data.push_back(1);
  if (start == rank(target) - rank(data) && random.chance(50)) axis = -1;
  if (random.chance(3)) axis = random.between(-3, rank(target) + 1);
  call.arguments.attributes["axis"] = cat(axis);
}

}  // namespace

RandomCase expand_case(Random& random, const std::string& op, std::int64_t elements) {
  RandomCase call = random_call(random, op);
  const Shape result = random_shape(random, random.between(0, 6), elements);
  Shape data = shrunk(random, result, random.chance(30) ? rank(result) : random.between(0, rank(result)));
  // The target may leave to data what data has: ones, or fewer dimensions where data has all of them.
  Shape target = result;
  for (std::int64_t j = 0; j < rank(data); ++j) {
    std::int64_t& dim = target[target.size() - 1 - static_cast<std::size_t>(j)];
    if (data[data.size() - 1 - static_cast<std::size_t>(j)] == dim && random.chance(20)) dim = 1;
  }
  if (data.size() == target.size() && random.chance(30))
    target.erase(target.begin(), target.begin() + std::min<std::int64_t>(rank(target), 1));
  if (random.chance(4)) data = spoiled(random, data);
  if (random.chance(1) && !target.empty()) target[0] = -1;  // BC-T2
  call.arguments.attributes["shape"] = any_list(random, target);
  call.arguments.operands = {random_tensor(random, data_type(random, call), data)};
  return call;
}

RandomCase broadcast_case(Random& random, const std::string& op, std::int64_t elements) {
  RandomCase call = random_call(random, op);
  const std::string mode = random.pick(call.arguments.rules.modes);
  Shape target = random_shape(random, random.between(0, 6), elements);
  Shape data = shrunk(random, target, random.between(0, rank(target)));
  if (mode == "explicit") set_explicit(random, call, target, data);
  if (mode == "pdpd") set_pdpd(random, call, target, data);
  if (mode == "bidirectional") {
    for (std::int64_t& dim : target) dim = random.chance(15) ? 1 : dim;
  }
  if (random.chance(4)) data = spoiled(random, data);
  if (random.chance(1) && !target.empty()) target[0] = -1;  // BC-T2
  const bool is_explicit = call.arguments.rules.any_order;
  const bool has_mode = call.spec.empty() || call.spec.starts_with("openvino") || is_explicit;
  if (has_mode && ((mode != "numpy" && !is_explicit) || random.chance(50)))
    call.arguments.attributes["mode"] = mode;
  for (std::int64_t& dim : target) {
    if (call.arguments.rules.keeps_dims && random.chance(15)) dim = -1;
  }
  call.arguments.attributes["shape"] = any_list(random, target);
  call.arguments.operands = {random_tensor(random, data_type(random, call), data)};
  return call;
}

}  // namespace tensorop
