// The scatter family: random calls.
#include <algorithm>

#include "base/text.hpp"
#include "support/random_operators.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::operator+;
using reference::slice;
using reference::tail;

const std::vector<std::string> kOob = {"error", "drop", "clip", "clamp", "wrap"};

// Tensors above this many elements are drawn again: the reference is slow.
std::int64_t most_elements(std::int64_t elements) {
  return elements == 0 ? 700 : 3 * elements;
}

// How many updates there are where data has some `elements` (0: few).
std::int64_t update_elements(Random& random, std::int64_t elements) {
  return elements == 0
             ? 0
             : std::max<std::int64_t>(1, elements / random.pick(std::vector<std::int64_t>{1, 4, 100}));
}

void set_reduction(Random& random, RandomCase& call, DType dtype) {
  const reference::Rules& rules = call.arguments.rules;
  const bool is_preset = rules.other_defaults.contains("reduction");
  if (rules.reductions.empty() || random.chance(20)) return;
  std::string reduction = random.pick(rules.reductions);
  // Most draws that 4.5 leaves empty (T-3, T-1) are drawn again.
  const bool ordered = reduction.find("mi") != std::string::npos || reduction.find("ma") != std::string::npos;
  const bool is_data = dtype == DType::string || kSmallTypes.contains(dtype);
  const bool undefined = (is_data && reduction != "none") ||
                         (dtype == DType::boolean && reduction == "mean") ||
                         (kComplexTypes.contains(dtype) && ordered);
  if (undefined && !is_preset && !random.chance(5)) reduction = "none";
  call.arguments.attributes["reduction"] = reduction;
  if (rules.use_init_val && random.chance(60)) {
    call.arguments.attributes["use_init_val"] = random.chance(30) ? "true" : "false";
  }
}

void set_operands(Random& random, RandomCase& call, const Shape& data, const Shape& indices, Shape updates,
                  const std::function<std::int64_t(const std::vector<std::int64_t>&)>& extent) {
  maybe_oob(random, call, kOob);
  const DType dtype = random_dtype(random, random.chance(1) ? kAllTypes : call.arguments.rules.types);
  const DType update_dtype = random.chance(1) ? random_dtype(random, kAllTypes) : dtype;
  set_reduction(random, call, dtype);
  const auto& attributes = call.arguments.attributes;
  const auto reduction = attributes.find("reduction");
  const reference::Rules& rules = call.arguments.rules;
  const bool repeats = rules.repeats_updates || rules.off_axis || rules.torch_shapes;
  const bool reduces = reduction == attributes.end() ? rules.other_defaults.contains("reduction")
                                                     : reduction->second != "none";
  if (rules.alpha && (kIntegerTypes | kFloatTypes | kComplexTypes).contains(dtype) && random.chance(20))
    call.arguments.attributes["alpha"] = cat(random.between(0, 3));
  if (!reduces && !repeats && random.chance(15))
    call.arguments.duplicates = random.chance(20) ? "last" : "error";
  const bool may_repeat =
      call.spec.empty() && !attributes.contains("flat") && call.arguments.duplicates != "error";
  if ((may_repeat || rules.repeats_updates) && random.chance(25)) {
    if (!rules.repeats_updates)
      call.arguments.attributes["broadcast_updates"] = random.chance(95) ? "true" : "false";
    const auto dropped = random.chance(50) ? 0 : random.between(0, static_cast<std::int64_t>(updates.size()));
    updates.erase(updates.begin(), updates.begin() + dropped);
    for (std::int64_t& dim : updates) {
      if (random.chance(30)) dim = 1;
    }
  }
  if (random.chance(2)) updates = spoiled(random, updates);
  call.arguments.operands = {random_tensor(random, dtype, data),
                             random_indices(random, call, indices, extent),
                             random_tensor(random, update_dtype, updates)};
}

}  // namespace

RandomCase scatter_elements_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const std::int64_t r = random.between(random.chance(1) ? 0 : 1, 6);
    const Shape data = random_shape(random, r, elements);
    const std::int64_t axis = r == 0 ? 0 : random.between(0, r - 1);
    const auto a = static_cast<std::size_t>(axis);
    const reference::Rules& rules = call.arguments.rules;
    Shape indices = data;
    for (std::int64_t& dim : indices) {
      if (!rules.equal_off_axis && random.chance(40))
        dim = rules.off_axis ? 1 : random.between(dim > 0 ? 1 : 0, dim);
    }
    if (r > 0 && !call.arguments.rules.bounded_axis) {
      indices[a] = 1;
      const std::int64_t lanes = std::max<std::int64_t>(elements_in(indices), 1);
      indices[a] = elements == 0 ? random.between(random.chance(3) ? 0 : 1, 8)
                                 : update_elements(random, elements) / lanes + 1;
    }
    if (random.chance(2)) indices = spoiled(random, indices);
    if (random.chance(1)) indices.push_back(1);
    const std::int64_t most = most_elements(elements);
    if (elements_in(data) > most || elements_in(indices) > most) continue;
    if (rules.off_axis && repeated_elements(indices, data, a) > most) continue;
    set_axis(random, call, axis, r);
    Shape updates = indices;
    for (std::size_t d = 0; d < updates.size(); ++d) {
      if (rules.torch_shapes && random.chance(20)) updates[d] += random.between(1, 2);
      if (rules.off_axis && random.chance(30)) updates[d] = 1;
    }
    set_operands(random, call, data, indices, updates, [&](const auto&) { return r == 0 ? 1 : data[a]; });
    return call;
  }
}

RandomCase scatter_update_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const std::int64_t r = random.between(random.chance(1) ? 0 : 1, 6);
    const Shape data = random_shape(random, r, elements);
    const std::int64_t axis = r == 0 ? 0 : random.between(0, r - 1);
    const bool flat = set_flat(random, call);
    const std::int64_t d = flat || r == 0 ? elements_in(data) : data[static_cast<std::size_t>(axis)];
    const std::int64_t slices = std::max<std::int64_t>(elements_in(data) / std::max<std::int64_t>(d, 1), 1);
    const bool has_vector = call.arguments.rules.vector_index && !random.chance(2);
    const Shape indices = random_shape(random, random.between(0, has_vector ? 1 : 2),
                                       update_elements(random, elements) / slices);
    Shape updates = r == 0 ? indices : slice(data, 0, axis) + indices + tail(data, axis + 1);
    if (flat) updates = random.chance(50) ? indices : Shape{elements_in(indices)};
    const std::int64_t most = most_elements(elements);
    if (elements_in(data) > most || elements_in(updates) > most) continue;
    if (!flat) set_axis(random, call, axis, r);
    set_operands(random, call, data, indices, updates, [&](const auto&) { return d; });
    return call;
  }
}

RandomCase tensor_scatter_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const std::int64_t r = random.between(random.chance(1) ? 0 : 2, 6);
    const Shape data = random_shape(random, r, elements);
    if (elements_in(data) > most_elements(elements)) continue;
    const std::int64_t axis = r < 2 ? 0 : random.between(random.chance(1) ? 0 : 1, r - 1);
    const auto a = static_cast<std::size_t>(axis);
    Shape updates = data;
    if (r > 0)
      updates[a] = random.between(random.chance(3) ? 0 : std::min<std::int64_t>(1, data[a]), data[a]);
    const std::int64_t spare = r > 0 ? data[a] - updates[a] + 1 : 1;
    if (random.chance(2)) updates = spoiled(random, updates);
    Shape batch = r > 0 ? Shape{data[0]} : Shape{1};
    if (random.chance(1)) batch = spoiled(random, batch);
    const bool circular = random.chance(50);
    if (circular || random.chance(20)) call.arguments.attributes["mode"] = circular ? "circular" : "linear";
    if (axis != r - 2 || random.chance(30))
      call.arguments.attributes["axis"] = cat(random.chance(30) ? axis - r : axis);
    const DType dtype = random_dtype(random, random.chance(1) ? kAllTypes : call.arguments.rules.types);
    call.arguments.left_out = random.chance(15);
    call.arguments.operands = {
        random_tensor(random, dtype, data),
        random_indices(random, call, batch,
                       [&](const auto&) { return circular ? random.between(1, 100) : spare; }),
        random_tensor(random, random.chance(1) ? random_dtype(random, kAllTypes) : dtype, updates)};
    return call;
  }
}

RandomCase scatter_nd_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const std::int64_t r = random.between(random.chance(1) ? 0 : 1, 6);
    const Shape data = random_shape(random, r, elements);
    const std::int64_t k = random.between(random.chance(15) ? 0 : std::min<std::int64_t>(1, r), r);
    const std::int64_t slice_elements = std::max<std::int64_t>(elements_in(tail(data, k)), 1);
    const Shape tuples =
        random_shape(random, random.between(0, 3), update_elements(random, elements) / slice_elements);
    const Shape indices = tuples + Shape{k + (random.chance(1) ? 1 : 0)};
    Shape updates = tuples + tail(data, k);
    if (updates.empty() && random.chance(30)) updates = random.chance(50) ? Shape{1} : Shape{1, 1};  // SN-3
    const std::int64_t most = most_elements(elements);
    if (elements_in(data) > most || elements_in(updates) > most || elements_in(indices) > most) continue;
    set_operands(random, call, data, indices, updates, [&](const auto& c) {
      const auto component = static_cast<std::size_t>(c.back());
      return component < data.size() ? data[component] : 1;
    });
    return call;
  }
}

}  // namespace tensorop
