// What an open element means: updates in another order change no other one. Source: section 1.3 of the
// specification.
#include <algorithm>
#include <cstring>

#include "engine/engine.hpp"
#include "support/catch.hpp"
#include "support/operator_facts.hpp"
#include "support/plan_check.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::Array;
using reference::Coordinate;

// Dimension `d` of indices and updates alike, in another order.
Tensor reordered(const Tensor& tensor, std::size_t d, const std::vector<std::int64_t>& order) {
  const Array from(tensor);
  Array to(from.dtype, from.shape);
  for (const Coordinate& c : reference::coordinates_of(from.shape)) {
    Coordinate source = c;
    source[d] = order[static_cast<std::size_t>(c[d])];
    to.at(c) = from.at(source);
  }
  return to.tensor();
}

struct Outcome {
  Tensor result;
  std::vector<bool> open;
};

Outcome run(Random& random, const RandomCase& call) {
  Request request;
  request.op = require_operator(call.typed);
  for (std::size_t i = 0; i < call.arguments.operands.size(); ++i)
    request.positional.emplace_back("@" + std::to_string(i));
  for (const auto& [name, text] : call.arguments.attributes) request.attributes.push_back({name, text});
  request.spec = call.spec;
  Settings settings;
  settings.lookup = [&](const std::string& text) {
    return std::optional(call.arguments.operands.at(std::stoul(text.substr(1))));
  };
  return {evaluate(request, settings), plan_open(random, request, settings)};
}

TEST_CASE("another order of the updates changes open elements alone", "[engine][open]") {
  const std::uint64_t seed = random_seed();
  INFO("TENSOROP_SEED=" << seed);
  std::int64_t changed = 0;
  std::int64_t compared = 0;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    Random random(seed, number);
    const OperatorFacts& facts =
        facts_of(random.pick(std::vector<std::string>{"scatterelements", "scatternd", "scatterupdate"}));
    RandomCase call = facts.draw(random, std::string(facts.name), 0);
    call.arguments.attributes.erase("reduction");
    call.arguments.duplicates = "last";
    if (call.spec.empty()) continue;
    try {
      (void)reference::compute(call.arguments);
    } catch (const reference::ReferenceError&) {
      continue;
    }
    // The dimension along which the updates lie that may have the same target.
    const Shape& indices = call.arguments.operands[1].shape();
    const Shape& updates = call.arguments.operands[2].shape();
    std::int64_t axis = reference::number(call.arguments, "axis", 0);
    if (axis < 0) axis += call.arguments.operands[0].rank();
    if (facts.name == "scatternd") axis = 0;
    if (facts.name == "scatternd" ? indices.size() < 2 : indices.empty()) continue;
    const std::size_t of_indices = facts.name == "scatterupdate" ? 0 : static_cast<std::size_t>(axis);
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < updates[static_cast<std::size_t>(axis)]; ++i) order.push_back(i);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.between(0, std::ssize(order) - 1)) % i]);
    RandomCase other = call;
    other.arguments.operands[1] = reordered(call.arguments.operands[1], of_indices, order);
    other.arguments.operands[2] =
        reordered(call.arguments.operands[2], static_cast<std::size_t>(axis), order);
    const Outcome first = run(random, call);
    const Outcome second = run(random, other);
    CAPTURE(number, call.typed, call.spec);
    CHECK(first.open == second.open);
    const Array a(first.result);
    const Array b(second.result);
    ++compared;
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
      if (a.elements[i].bytes == b.elements[i].bytes) continue;
      ++changed;
      CHECK(first.open[i]);
    }
  }
  // Guards the test itself.
  CHECK(compared > 300);
  CHECK(changed > 100);
}

}  // namespace
}  // namespace tensorop
